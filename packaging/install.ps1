# Installs the binary of cerberus for this machine, after its checksum was verified.
#
#   CERBERUS_VERSION        version, by default the one that this script was released with
#   CERBERUS_INSTALL_DIR    folder, by default %LOCALAPPDATA%\Programs\cerberus
#   CERBERUS_DOWNLOADS      address of the folder with the archives and SHA256SUMS
$ErrorActionPreference = "Stop"
$ProgressPreference = "SilentlyContinue" # the progress bar slows downloads down

$repository = "@REPOSITORY@"
$version = if ($env:CERBERUS_VERSION) { $env:CERBERUS_VERSION } else { "@VERSION@" }
$folder = if ($env:CERBERUS_INSTALL_DIR) { $env:CERBERUS_INSTALL_DIR }
    else { Join-Path $env:LOCALAPPDATA "Programs\cerberus" }
$downloads = if ($env:CERBERUS_DOWNLOADS) { $env:CERBERUS_DOWNLOADS }
    else { "$repository/releases/download/v$version" }

# The variable of a 32-bit process on a 64-bit system has the name of the system.
$processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
$machine = switch ($processor) {
    "AMD64" { "x86_64" }
    "ARM64" { "aarch64" }
    default { throw "cerberus: no binary for the processor $processor" }
}
$name = "cerberus-$version-$machine-pc-windows-msvc"
$temp = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
New-Item -ItemType Directory -Path $temp | Out-Null
try {
    Invoke-WebRequest -UseBasicParsing "$downloads/$name.zip" -OutFile "$temp\$name.zip"
    Invoke-WebRequest -UseBasicParsing "$downloads/SHA256SUMS" -OutFile "$temp\SHA256SUMS"
    $expected = Get-Content "$temp\SHA256SUMS" |
        Where-Object { ($_ -split "\s+")[1] -eq "$name.zip" } |
        ForEach-Object { ($_ -split "\s+")[0] }
    $actual = (Get-FileHash -Algorithm SHA256 "$temp\$name.zip").Hash.ToLowerInvariant()
    if (-not $expected) { throw "cerberus: SHA256SUMS has no line for $name.zip" }
    if ($expected -ne $actual) { throw "cerberus: the checksum of $name.zip differs: nothing was installed" }
    Expand-Archive "$temp\$name.zip" -DestinationPath $temp
    New-Item -ItemType Directory -Force -Path $folder | Out-Null
    Copy-Item -Force "$temp\$name\cerberus.exe" (Join-Path $folder "cerberus.exe")
    Write-Output "installed $(& (Join-Path $folder 'cerberus.exe') --version) in $folder"
    if (($env:PATH -split ";") -notcontains $folder) { Write-Output "next: put $folder on PATH" }
} finally {
    Remove-Item -Recurse -Force $temp
}
