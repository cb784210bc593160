//! A client that speaks HTTP/1.1, one connection a request, and reads server-sent events.

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// The longest that a test waits for what has to come.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy)]
pub struct Client {
    address: SocketAddr,
}

/// A response that was read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .get(name)
            .map(|value| value.to_str().expect("a readable header"))
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The `error` of a refusal.
    pub fn error(&self) -> String {
        let error = &self.json()["error"];
        error
            .as_str()
            .unwrap_or_else(|| panic!("no error: {self:?}"))
            .to_owned()
    }
}

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        Self { address }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.request(Method::GET, path, &[], b"").await
    }

    pub async fn put(&self, path: &str, value: &str) -> Answer {
        self.request(Method::PUT, path, &[], value.as_bytes()).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.request(Method::DELETE, path, &[], b"").await
    }

    pub async fn request(&self, method: Method, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let response = self.send(method, path, headers, body).await;
        let (head, body) = response.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        Answer {
            status: head.status,
            headers: head.headers,
            body: String::from_utf8(body.into()).expect("text"),
        }
    }

    /// Listens for expirations; returns when the response has begun.
    pub async fn listen(&self) -> Events {
        let response = self.send(Method::GET, "/expired", &[], b"").await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        Events {
            body: response.into_body(),
            unread: String::new(),
        }
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response<Incoming> {
        let stream = TcpStream::connect(self.address).await.expect("a connection");
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .expect("a handshake");
        tokio::spawn(connection);
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.address.to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request
            .body(Full::new(Bytes::copy_from_slice(body)))
            .expect("a request");
        sender.send_request(request).await.expect("a response")
    }
}

/// A stream of server-sent events.
#[derive(Debug)]
pub struct Events {
    body: Incoming,
    unread: String,
}

/// One event.
#[derive(Debug)]
pub struct Event {
    pub id: String,
    pub name: String,
    pub data: Value,
}

impl Events {
    /// The next event, comments passed over.
    pub async fn next(&mut self) -> Event {
        let read = async {
            loop {
                let block = self.block().await.expect("the stream goes on");
                let field = |name: &str| {
                    let found = block.lines().find_map(|line| line.strip_prefix(name));
                    found.map(|value| value.trim_start().to_owned())
                };
                if let Some(data) = field("data:") {
                    return Event {
                        id: field("id:").unwrap_or_default(),
                        name: field("event:").unwrap_or_default(),
                        data: serde_json::from_str(&data).expect("JSON"),
                    };
                }
            }
        };
        tokio::time::timeout(PATIENCE, read)
            .await
            .expect("an event comes")
    }

    /// The lines up to the next empty one; `None` when the response has ended.
    pub async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.unread.split_once("\n\n") {
                let block = block.to_owned();
                self.unread = rest.to_owned();
                return Some(block);
            }
            let frame = self.body.frame().await?.expect("the response is not cut off");
            let data = frame.into_data().expect("no trailers");
            self.unread
                .push_str(std::str::from_utf8(&data).expect("whole characters"));
        }
    }
}
