//! One of the processes of the chaos test, which starts, kills and starts again many of them.

use std::io;

#[tokio::main]
async fn main() -> io::Result<()> {
    kvrepo_tests::chaos::worker::run().await
}
