//! Generates the protocol code from the .proto files.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let protos = std::path::Path::new("../../protos");
    let service = protos.join("euchre/referee/v1/referee_service.proto");
    println!("cargo:rerun-if-changed={}", protos.join("euchre").display());
    let mut config = tonic_prost_build::Config::new();
    config.protoc_executable(protoc_bin_vendored::protoc_bin_path()?);
    let include = protoc_bin_vendored::include_path()?;
    tonic_prost_build::configure().build_server(false).compile_with_config(
        config,
        &[service],
        &[protos.to_path_buf(), include],
    )?;
    Ok(())
}
