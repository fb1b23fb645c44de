//! A client that writes any bytes to a socket and reads one answer.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer, read to the end of the connection.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Status line and headers.
    pub head: String,
    /// What follows the head, as it was sent.
    pub body: Vec<u8>,
}

/// The head of a request for one answer: the connection is closed after it.
pub fn head(method: &str, target: &str, headers: &[(&str, &[u8])]) -> Vec<u8> {
    let mut head = format!("{method} {target} HTTP/1.1\r\n").into_bytes();
    let given = |wanted: &str| headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
    if !given("host") {
        head.extend(b"Host: 127.0.0.1\r\n");
    }
    if !given("connection") {
        head.extend(b"Connection: close\r\n");
    }
    for (name, value) in headers {
        head.extend(name.as_bytes());
        head.extend(b": ");
        head.extend(*value);
        head.extend(b"\r\n");
    }
    head.extend(b"\r\n");
    head
}

/// Sends a request with its body and reads the answer.
pub async fn send(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &[u8])],
    body: &[u8],
) -> Answer {
    let length = body.len().to_string();
    let mut headers = headers.to_vec();
    headers.push(("Content-Length", length.as_bytes()));
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = head(method, target, &headers);
    let (mut reader, mut writer) = stream.split();
    // A server may answer before it has read a body that it refuses, and close or not.
    let write = async {
        let _ = writer.write_all(&head).await;
        let _ = writer.write_all(body).await;
        std::future::pending::<()>().await;
    };
    let read = read_one(&mut reader, method);
    tokio::select! { answer = read => answer.expect("an answer"), () = write => unreachable!() }
}

/// Reads one answer by its length, or up to the end of the connection; the answer to HEAD has no body.
pub async fn read_one(reader: &mut (impl AsyncReadExt + Unpin), method: &str) -> Option<Answer> {
    let mut bytes = Vec::new();
    loop {
        if let Some(answer) = parse(&bytes) {
            let length = answer.head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
            });
            if method == "HEAD" || length.is_some_and(|length: usize| answer.body.len() >= length) {
                return Some(answer);
            }
        }
        if reader.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return parse(&bytes);
        }
    }
}

/// Sends these bytes and reads the answer; `None` if the server closes without one.
pub async fn send_bytes(address: SocketAddr, bytes: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let _ = stream.write_all(bytes).await;
    read(&mut stream).await
}

/// Reads an answer up to the end of the connection.
pub async fn read(stream: &mut TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    parse(&bytes)
}

/// An answer from its bytes; `None` without a whole head.
pub fn parse(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Some(Answer { status, head, body: bytes[end + 4..].to_vec() })
}

/// A body in chunks of the transfer coding, without the last, empty one.
pub fn chunked(chunks: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in chunks {
        bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        bytes.extend(*chunk);
        bytes.extend(b"\r\n");
    }
    bytes
}
