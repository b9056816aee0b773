# Written by packaging/pack.py. Put it into the folder `Formula` of a tap.
class Cerberus < Formula
  desc "@DESCRIPTION@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/cerberus-@VERSION@-aarch64-apple-darwin.tar.xz"
      sha256 "@aarch64-apple-darwin@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/cerberus-@VERSION@-x86_64-apple-darwin.tar.xz"
      sha256 "@x86_64-apple-darwin@"
    end
  end
  on_linux do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/cerberus-@VERSION@-aarch64-unknown-linux-musl.tar.xz"
      sha256 "@aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/cerberus-@VERSION@-x86_64-unknown-linux-musl.tar.xz"
      sha256 "@x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "cerberus"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/cerberus.bash" => "cerberus"
    zsh_completion.install "completions/_cerberus"
    fish_completion.install "completions/cerberus.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/cerberus --version")
    system bin/"cerberus", "demo"
  end
end
