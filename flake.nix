{
  description = "Keeps a project's rules anchored to the code that shows them";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      cargo = nixpkgs.lib.importTOML ./Cargo.toml;
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = cargo.package.name;
          inherit (cargo.workspace.package) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          buildFeatures = [ "all-languages" ];
          # The tests start git and need its identity; `.ci/run` runs them.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            installManPage man/*.1
            installShellCompletion --cmd cerberus \
              --bash completions/cerberus.bash --zsh completions/_cerberus \
              --fish completions/cerberus.fish
          '';
          meta = {
            inherit (cargo.package) description;
            license = with nixpkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "cerberus";
          };
        };
      });
      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [ cargo rustc rustfmt clippy git gnumake ];
        };
      });
    };
}
