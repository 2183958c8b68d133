//! A request to a server on this machine, on a connection of its own. A model here may read a long prompt for minutes before its
//! answer begins; so what comes meanwhile is looked at: interim responses without end are no sign of an answer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderValue, USER_AGENT};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use reqwest::{Body, Response, Url};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// More interim responses than this to one request are not meant to lead to an answer.
const INTERIM_MAX: usize = 100;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("no connection within {} s", .0.as_secs())]
    Slow(Duration),
    #[error(transparent)]
    Connect(#[from] std::io::Error),
    #[error("the address cannot be asked")]
    Address,
    #[error(transparent)]
    Build(#[from] reqwest::Error),
    #[error(transparent)]
    Http(#[from] hyper::Error),
    #[error("it sends interim responses without end, and no answer")]
    Interim,
}

/// Sends a request to this machine, and gives its answer as soon as it begins.
pub(super) async fn send(request: reqwest::Request, agent: &'static str, connect: Duration) -> Result<Response, Failure> {
    let url = request.url().clone();
    let stream = timeout(connect, TcpStream::connect(&*addresses(&url)?)).await.map_err(|_| Failure::Slow(connect))??;
    let (mut sender, connection) = http1::handshake::<_, Body>(TokioIo::new(stream)).await?;
    // What fails there is said to whoever waits for the answer. A request that is given up ends it.
    let connection = AbortOnDropHandle::new(tokio::spawn(connection));
    let mut request: Request<Body> = request.try_into()?;
    let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    *request.uri_mut() = path.parse::<Uri>().map_err(|_| Failure::Address)?;
    let host = url.authority().parse().map_err(|_| Failure::Address)?;
    request.headers_mut().insert(HOST, host);
    request.headers_mut().insert(USER_AGENT, HeaderValue::from_static(agent));
    let (count, enough) = (AtomicUsize::new(0), Arc::new(Notify::new()));
    let told = Arc::clone(&enough);
    hyper::ext::on_informational(&mut request, move |_| {
        if count.fetch_add(1, Ordering::Relaxed) == INTERIM_MAX {
            told.notify_one();
        }
    });
    let answer = tokio::select! {
        answer = sender.send_request(request) => answer?,
        () = enough.notified() => return Err(Failure::Interim),
    };
    // The rest of the answer comes by the connection, which ends by itself.
    drop(connection.detach());
    Ok(answer.map(Body::wrap).into())
}

/// Gives the addresses of this machine that a host stands for.
fn addresses(url: &Url) -> Result<Vec<SocketAddr>, Failure> {
    let (name, port) = url.host_str().zip(url.port_or_known_default()).ok_or(Failure::Address)?;
    let name = name.trim_matches(['[', ']']);
    match name.parse::<IpAddr>() {
        Ok(address) => Ok(vec![(address, port).into()]),
        Err(_) if name == "localhost" => Ok(vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()]),
        Err(_) => Err(Failure::Address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_this_machine_have_addresses_and_no_other_does() {
        let of = |address: &str| {
            addresses(&Url::parse(address).unwrap()).ok().map(|all| all.iter().map(ToString::to_string).collect())
        };
        assert_eq!(of("http://localhost:8080/v1"), Some(vec!["127.0.0.1:8080".to_owned(), "[::1]:8080".to_owned()]));
        assert_eq!(of("http://127.9.9.9"), Some(vec!["127.9.9.9:80".to_owned()]));
        assert_eq!(of("http://[::1]:1/"), Some(vec!["[::1]:1".to_owned()]));
        assert_eq!(of("http://example.com/"), None);
    }
}
