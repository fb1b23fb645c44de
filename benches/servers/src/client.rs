//! A client that costs little: bytes that are ready, over connections that are kept.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::Error;

/// A connection, and what it has read beyond the last answer.
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Result<Self, Error> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4096) })
    }

    pub(crate) fn open_many(address: SocketAddr, count: usize) -> Result<Vec<Self>, Error> {
        (0..count).map(|_| Self::open(address)).collect()
    }

    pub(crate) fn send(&mut self, request: &[u8]) -> Result<(), Error> {
        Ok(self.stream.write_all(request)?)
    }

    /// The status of the next answer, which has no body.
    pub(crate) fn status(&mut self) -> Result<u16, Error> {
        loop {
            if let Some(end) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                let status = self.buffer.get(9..12).ok_or("a short answer")?;
                let status = std::str::from_utf8(status)?.parse()?;
                self.buffer.drain(..end + 4);
                return Ok(status);
            }
            let mut part = [0; 1024];
            let read = self.stream.read(&mut part)?;
            if read == 0 {
                return Err("the server has closed the connection".into());
            }
            self.buffer.extend_from_slice(part.get(..read).unwrap_or_default());
        }
    }

    /// Sends and reads the answer, which must be 200.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> Result<(), Error> {
        self.send(request)?;
        accepted(self.status()?)
    }
}

/// Every connection sends the request, then every answer is read: the server finds several to do at a time.
pub(crate) fn burst(connections: &mut [Connection], request: &[u8]) -> Result<(), Error> {
    for connection in connections.iter_mut() {
        connection.send(request)?;
    }
    for connection in connections {
        accepted(connection.status()?)?;
    }
    Ok(())
}

fn accepted(status: u16) -> Result<(), Error> {
    if status == 200 { Ok(()) } else { Err(format!("answered {status}").into()) }
}
