//! A power failure right after the answer, on a file system in an image file: the copy of the image
//! has everything that the command said to be done.
//!
//! Runs only as root where loop devices can be mounted. `CERBERUS_TEST_POWER_FAILURES=150 cargo
//! test --test cli power_failure -- --nocapture` runs that many.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::{Sandbox, print_skipped};

/// Number of power failures in a normal run.
const N_FAILURES: usize = 15;

/// Pairs of a command and the check of its result with a shell. `N` is the number of the round.
const STEPS: &[(&str, &str)] = &[
    (
        "memory create mN --content \"text N\"",
        "grep -q 'text N' .memories/mN.md",
    ),
    (
        "memory update mN --content \"other N\"",
        "grep -q 'other N' .memories/mN.md",
    ),
    (
        "memory delete mN",
        "test ! -e .memories/mN.md && grep -q 'other N' .memories/.trash/mN.md",
    ),
    (
        "memory restore mN",
        "test ! -e .memories/.trash/mN.md && grep -q 'other N' .memories/mN.md",
    ),
    (
        "memory pin add \"pin N\" --id pN",
        "grep -q 'pin N' .memories/pins.toml",
    ),
];

/// A mounted file system, unmounted at the end.
struct Mounted(PathBuf);

impl Mounted {
    /// Mounts an image. Changes that are not synced stay in memory for minutes.
    fn new(image: &Path, folder: PathBuf) -> Option<Self> {
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut mount = Command::new("mount");
        mount
            .args(["-o", "loop,commit=300"])
            .arg(image)
            .arg(&folder);
        succeeds(&mut mount).then_some(Self(folder))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        assert!(
            succeeds(Command::new("umount").arg(&self.0)),
            "{:?} stays mounted",
            self.0
        );
    }
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn acknowledged_writes_survive_a_power_failure() {
    let n_failures = std::env::var("CERBERUS_TEST_POWER_FAILURES")
        .map_or(N_FAILURES, |n| n.parse().expect("a number"));
    let sandbox = Sandbox::empty();
    let image = sandbox.path("../image");
    let file = std::fs::File::create(&image).expect("a file");
    file.set_len(32 << 20).expect("a file with holes");
    let is_made = succeeds(Command::new("mkfs.ext4").arg("-q").arg(&image));
    let mounted = is_made
        .then(|| Mounted::new(&image, sandbox.path("../disk")))
        .flatten();
    let Some(mounted) = mounted else {
        return print_skipped("no file system in an image file can be mounted here");
    };
    std::fs::create_dir(mounted.0.join("shop")).expect("a folder");
    let project = sandbox.beside("disk/shop");
    project.git("init -q");
    project.ok("memory init");
    let sync = || assert!(succeeds(Command::new("sync").arg("-f").arg(&mounted.0)));
    sync();
    let mut lost = Vec::new();
    for (n, (line, check)) in STEPS.iter().cycle().take(n_failures).enumerate() {
        let round = (n / STEPS.len()).to_string();
        let line = line.replace('N', &round);
        project.ok(&line);
        // What the device has at this moment is what a power failure leaves.
        let copy = sandbox.path("../copy");
        std::fs::copy(&image, &copy).expect("a file can be copied");
        let after = Mounted::new(&copy, sandbox.path("../after")).expect("it can be mounted");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &check.replace('N', &round)])
            .current_dir(after.0.join("shop"));
        if !succeeds(&mut shell) {
            lost.push(line);
        }
        drop(after);
        sync();
    }
    assert_eq!(lost, [""; 0], "{} of {n_failures} were lost", lost.len());
}
