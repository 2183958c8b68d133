//! The one gate to the network: every connection of ours is made by a client that was built here.
//!
//! Decides whether a host may be spoken to at all, and how: another machine only where a person said so, certificates are always checked, redirects never followed,
//! nothing for this machine goes through a proxy, and no name and no redirect leads to an address that only the network at
//! hand knows, where clouds answer with the credentials of the machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Method, RequestBuilder, Response, Url};

use crate::base::text::display_line;
use crate::domain::settings::Network;
use crate::llm::direct;
use crate::llm::provider::ModelError;

const CONNECT: Duration = Duration::from_secs(10);
const AGENT: &str = concat!("pytead-tui/", env!("CARGO_PKG_VERSION"));

/// An address that passed the gate, and the client to reach it with.
#[derive(Debug, Clone)]
pub struct Route {
    /// The address, ending in `/`.
    base: Url,
    host: String,
    is_local: bool,
    allowed: bool,
    client: Client,
}

impl Route {
    /// Lets an address through, or says why not.
    ///
    /// # Errors
    /// Fails when the setting forbids the host, when the address is no plain `http` or `https` one, or when the system
    /// gives no certificates to check others by.
    pub fn open(network: Network, address: &str) -> Result<Self, ModelError> {
        let wrong = |why: &str| ModelError::Address { address: display_line(address).into_owned(), why: why.to_owned() };
        let mut base = Url::parse(address.trim()).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(wrong("it has to begin with http:// or https://"));
        }
        if !base.username().is_empty() || base.password().is_some() || base.query().is_some() {
            // Said without the address: it may hold the secret.
            let address = base.host_str().unwrap_or_default().to_owned();
            let why = "it holds a user name or a query; keys belong into a variable named by key_env".to_owned();
            return Err(ModelError::Address { address, why });
        }
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        let name = base.host_str().ok_or_else(|| wrong("it has no host"))?;
        let is_local = is_this_machine(name);
        let host = base.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
        admit(network, &host, is_local)?;
        let client = client(base.scheme() == "https", is_local)?;
        Ok(Self { base, host, is_local, allowed: is_local, client })
    }

    /// Gives the host, with its port where it is not the usual one.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Gives the host without a port.
    #[must_use]
    pub fn name(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// Tells whether the host is this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// Lets requests through to another machine: to be called with a person's word for this host.
    #[must_use]
    pub fn allow(self) -> Self {
        Self { allowed: true, ..self }
    }

    /// Tells whether a request would be let through.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.allowed
    }

    /// Tells whether nobody on the way can read along.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.is_local || self.base.scheme() == "https"
    }

    /// Begins a POST below the address.
    ///
    /// # Errors
    /// Fails for another machine that nobody allowed.
    pub(crate) fn post(&self, path: &str) -> Result<reqwest::RequestBuilder, ModelError> {
        Ok(self.let_through()?.post(self.below(path)))
    }

    /// Begins a GET below the address.
    ///
    /// # Errors
    /// As [`Route::post`].
    pub(crate) fn get(&self, path: &str) -> Result<reqwest::RequestBuilder, ModelError> {
        Ok(self.let_through()?.get(self.below(path)))
    }

    /// Sends a request, and gives its answer as soon as that begins; how long it may take is the caller's to say.
    ///
    /// # Errors
    /// Fails when there is no connection, or none that is an answer's.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, ModelError> {
        let unreachable = |error: &dyn std::error::Error| ModelError::Unreachable { host: self.host.clone(), why: reason(error) };
        if self.is_local && self.base.scheme() == "http" {
            let request = request.build().map_err(|error| unreachable(&error))?;
            return direct::send(request, AGENT, CONNECT).await.map_err(|error| unreachable(&error));
        }
        request.send().await.map_err(|error| unreachable(&error))
    }

    fn let_through(&self) -> Result<&Client, ModelError> {
        if self.allowed { Ok(&self.client) } else { Err(ModelError::NotAllowed { host: self.host.clone() }) }
    }

    fn below(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path()));
        url
    }
}

/// One step of a download that a person asked for: the address itself, or where the answer before sent it on to.
///
/// # Errors
/// Fails when the setting forbids the host, when the address is no plain one, when it leads from another machine back to
/// this one, or when anybody on the way could read along.
pub(crate) fn step(network: Network, method: Method, from: Option<&Url>, to: &Url) -> Result<RequestBuilder, ModelError> {
    let wrong = |why: &str| ModelError::Address {
        // Without its query: that may be signed for whoever asked.
        address: to.host_str().map_or_else(|| to.scheme().to_owned(), |host| display_line(host).into_owned()),
        why: why.to_owned(),
    };
    let name = to.host_str().ok_or_else(|| wrong("it has no host"))?;
    let is_local = is_this_machine(name);
    if !(to.scheme() == "https" || (to.scheme() == "http" && is_local)) {
        return Err(wrong("files are got by https"));
    }
    if is_local && from.and_then(Url::host_str).is_some_and(|from| !is_this_machine(from)) {
        return Err(wrong("another machine leads back to this one"));
    }
    if let Some(address) = literal(name).filter(|address| is_link_local(*address)) {
        return Err(wrong(&LinkLocal(address).to_string()));
    }
    admit(network, name, is_local)?;
    Ok(client(to.scheme() == "https", is_local)?.request(method, to.clone()))
}

fn admit(network: Network, host: &str, is_local: bool) -> Result<(), ModelError> {
    let setting = match (network, is_local) {
        (Network::On, _) | (Network::Loopback, true) => return Ok(()),
        (Network::Loopback, false) => "loopback",
        (Network::Off, _) => "off",
    };
    let place = if is_local { "this machine" } else { "another machine" };
    Err(ModelError::Forbidden { setting, host: host.to_owned(), place })
}

/// Tells whether a host's name is another one or below it.
pub(crate) fn belongs(name: &str, host: &str) -> bool {
    name.strip_suffix(host).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Tells whether a host is this machine by its name alone: a lookup could be made to lie.
fn is_this_machine(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost") || literal(name).is_some_and(|address| address.is_loopback())
}

/// Reads a host that is an address, as it stands in a URL.
fn literal(name: &str) -> Option<IpAddr> {
    name.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Tells whether an address is one that only the network at hand knows. Clouds serve credentials there; Amazon's of IPv6 is no
/// such address by its form.
fn is_link_local(address: IpAddr) -> bool {
    const AMAZON: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local() || address == AMAZON,
    }
}

/// Where a name or a redirect led.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("it leads to {0}, an address of this network alone, where a cloud gives out the machine's credentials")]
struct LinkLocal(IpAddr);

/// Looks names up, and refuses those that lead where nobody chose to go. An address that a person wrote as one is not looked up.
struct Lookup;

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(Box::new(admitted(found.collect())?.into_iter()) as Addrs)
        })
    }
}

/// Lets the addresses of a name through; one that is link-local spoils all of them.
fn admitted(found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, LinkLocal> {
    match found.iter().map(SocketAddr::ip).find(|address| is_link_local(*address)) {
        Some(address) => Err(LinkLocal(address)),
        None => Ok(found),
    }
}

fn client(secure: bool, is_local: bool) -> Result<Client, ModelError> {
    // The first one that asks installs it; every later one finds the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(AGENT)
        .connect_timeout(CONNECT)
        .dns_resolver(Arc::new(Lookup))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    if !secure {
        // Without this, a machine without certificates could not even speak to itself.
        builder = builder.tls_certs_only([]);
    }
    if is_local {
        // `localhost` is not looked up either: port 0 stands for the address's own.
        let here = [(Ipv4Addr::LOCALHOST, 0).into(), (Ipv6Addr::LOCALHOST, 0).into()];
        builder = builder.no_proxy().resolve_to_addrs("localhost", &here);
    }
    builder.build().map_err(|error| ModelError::Setup(reason(&error)))
}

/// Gives the innermost reason of an error, which is the one that says something, without the address.
pub(crate) fn reason(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    display_line(&innermost.to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_decides_who_is_spoken_to() {
        let here = [
            "http://localhost:8080/v1",
            "http://127.0.0.1/v1",
            "http://127.9.9.9:1",
            "http://[::1]:8080/v1",
            "https://LOCALHOST",
        ];
        let there =
            ["https://api.example.com/v1", "http://localhost.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1"];
        for address in here {
            assert!(Route::open(Network::Loopback, address).unwrap().is_local(), "{address}");
            assert!(matches!(Route::open(Network::Off, address), Err(ModelError::Forbidden { setting: "off", .. })), "{address}");
        }
        for address in there {
            assert!(!Route::open(Network::On, address).unwrap().is_local(), "{address}");
            assert!(matches!(Route::open(Network::Loopback, address), Err(ModelError::Forbidden { .. })), "{address}");
        }
        let error = Route::open(Network::Loopback, "https://api.example.com/v1").unwrap_err();
        assert_eq!(
            error.trouble().to_string(),
            "Not sent: the setting network is loopback, and api.example.com is another machine. Change network in your own config to allow it."
        );
    }

    #[test]
    fn an_address_that_cannot_be_used_is_refused_and_its_secrets_not_shown() {
        for address in ["", "localhost:8080", "file:///etc/passwd", "ftp://example.com", "http://"] {
            assert!(matches!(Route::open(Network::On, address), Err(ModelError::Address { .. })), "{address}");
        }
        for address in ["https://user:hunter2@example.com/v1", "https://example.com/v1?key=hunter2"] {
            let error = Route::open(Network::On, address).unwrap_err();
            assert!(!error.to_string().contains("hunter2") && error.to_string().contains("example.com"), "{error}");
        }
    }

    #[test]
    fn nothing_goes_to_another_machine_that_nobody_allowed() {
        let route = Route::open(Network::On, "https://api.example.com/v1").unwrap();
        assert_eq!(route.post("x").unwrap_err(), ModelError::NotAllowed { host: "api.example.com".into() });
        assert_eq!(route.get("x").unwrap_err(), ModelError::NotAllowed { host: "api.example.com".into() });
        assert!(route.allow().post("x").is_ok());
        assert!(Route::open(Network::On, "http://localhost:1/v1").unwrap().post("x").is_ok());
    }

    #[test]
    fn paths_are_added_below_the_address() {
        for address in ["http://localhost:1/api/v1", "http://localhost:1/api/v1/"] {
            let route = Route::open(Network::On, address).unwrap();
            assert_eq!(route.below("models").as_str(), "http://localhost:1/api/v1/models");
            assert_eq!((route.host(), route.name()), ("localhost:1", "localhost"));
        }
    }

    #[test]
    fn a_download_is_sent_on_only_where_it_may_go() {
        let url = |address: &str| Url::parse(address).unwrap();
        let step = |network, from: Option<&str>, to: &str| {
            super::step(network, Method::GET, from.map(url).as_ref(), &url(to)).err().map(|error| error.to_string())
        };
        let hub = "https://hub.example.com/x";
        assert_eq!(step(Network::On, None, hub), None);
        assert_eq!(step(Network::On, Some(hub), "https://cdn.example.com/x?signed=1"), None);
        assert_eq!(step(Network::Loopback, None, "http://127.0.0.1:9/x"), None);
        for (network, to) in [
            (Network::On, "http://cdn.example.com/x?signed=secret"),
            (Network::On, "http://127.0.0.1:9/x"),
            (Network::On, "https://localhost/x"),
            (Network::On, "file:///etc/passwd"),
            (Network::On, "https://169.254.169.254/latest/meta-data/?x=secret"),
            (Network::On, "https://2852039166/latest/meta-data/"),
            (Network::On, "https://[::ffff:169.254.169.254]/latest/meta-data/"),
            (Network::On, "https://[fd00:ec2::254]/latest/meta-data/"),
            (Network::Loopback, hub),
            (Network::Off, hub),
        ] {
            let said = step(network, Some(hub), to);
            assert!(said.as_ref().is_some_and(|said| !said.contains("secret")), "{to}: {said:?}");
        }
    }

    #[test]
    fn an_address_of_the_network_at_hand_is_reached_only_where_a_person_wrote_it_and_said_yes() {
        for address in [
            "http://169.254.169.254/v1",
            "http://2852039166/v1",
            "http://0xa9.0xfe.0xa9.0xfe/v1",
            "http://[fe80::1]/v1",
            "http://[::ffff:169.254.169.254]/v1",
            "http://[fd00:ec2::254]/v1",
        ] {
            let route = Route::open(Network::On, address).unwrap();
            assert!(!route.is_local() && !route.is_private(), "{address}");
            assert!(matches!(route.post("x"), Err(ModelError::NotAllowed { .. })), "{address}");
            assert!(matches!(Route::open(Network::Loopback, address), Err(ModelError::Forbidden { .. })), "{address}");
            assert!(literal(route.name()).is_some_and(is_link_local), "{address}");
        }
        for address in ["10.0.0.1", "192.168.1.2", "127.0.0.1", "fd00::1", "2001:db8::1"] {
            assert!(!is_link_local(address.parse().unwrap()), "{address}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_to_an_address_of_the_network_at_hand_is_refused_with_a_sentence() {
        let at = |address: &str| SocketAddr::new(address.parse().unwrap(), 0);
        assert_eq!(admitted(vec![at("10.0.0.1"), at("2001:db8::1")]).unwrap().len(), 2);
        for hidden in ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "fd00:ec2::254"] {
            let error = admitted(vec![at("10.0.0.1"), at(hidden)]).unwrap_err();
            assert!(reason(&error).starts_with("it leads to "), "{error}");
        }
        // This is the one that looks names up for every client made here.
        let found = Lookup.resolve("localhost".parse().unwrap()).await.unwrap();
        assert!(found.map(|address| address.ip()).all(|address| address.is_loopback()));
    }

    #[test]
    fn only_https_and_this_machine_are_private() {
        let private = |address| Route::open(Network::On, address).unwrap().is_private();
        assert!(private("https://example.com") && private("http://localhost"));
        assert!(!private("http://example.com"));
    }
}
