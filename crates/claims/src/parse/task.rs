//! What a command line runs by its name, and where.

/// Something that a command line runs by its name in a manifest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Task {
    pub(crate) runner: Runner,
    pub(crate) name: String,
    /// Whether the name may also be a program: `yarn NAME`, `uv run NAME`.
    pub(crate) may_be_program: bool,
    pub(crate) place: Place,
}

/// Where a command says that its task is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// Where the reader of the document is.
    Here,
    /// In packages or a folder that the command does not name exactly: `pnpm -r NAME`, `cd "$DIR"`.
    Anywhere,
    /// In a folder, from that of the reader: `make -C docs NAME`, `cd docs && make NAME`.
    Folder(String),
    /// In a package, by its name: `pnpm --filter PACKAGE NAME`.
    Package(String),
}

/// What knows the tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Runner {
    /// `scripts` of `package.json`.
    Script,
    /// `tasks` of `deno.json`, and scripts.
    Deno,
    /// `targets` of `project.json`, and scripts.
    Nx,
    /// `name` of `package.json`.
    Workspace,
    Make,
    Just,
    /// `Taskfile.yml`.
    TaskFile,
    /// Aliases of `.cargo/config.toml`.
    CargoAlias,
    CargoPackage,
    /// A binary, an example, a test or a benchmark of a package.
    CargoTarget,
    CargoFeature,
    /// Entry points and tasks of `pyproject.toml`.
    Python,
    Tox,
}
