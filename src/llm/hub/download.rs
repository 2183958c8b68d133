//! Getting a file of a hub: asked for its size and checksum, resumed where it stopped, believed only when both agree.
//!
//! Every connection goes through `network`, each redirect too. The file gets its name in the cache when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderMap, HeaderName, IF_RANGE, LOCATION, RANGE,
};
use reqwest::{Method, Response, StatusCode, Url};

use super::{Cache, ELSEWHERE, REVISION, USUAL, Wanted, is_hex};
use crate::base::error::Trouble;
use crate::base::seal::Sha256;
use crate::base::text::{bytes, display_line};
use crate::domain::settings::Network;
use crate::llm::gguf::Gguf;
use crate::llm::network::{reason, step};

/// The hub that is asked where none is named.
const HUB: &str = "https://huggingface.co";
/// The hub that a token of the user belongs to.
const TOKEN_HOST: &str = "huggingface.co";
/// Redirects that are followed.
const HOPS: usize = 6;
/// Files larger than this are asked about first.
pub const LARGE: u64 = 5_000_000_000;
/// Room that stays free on the disk.
const SPARE: u64 = 256 << 20;
/// The largest file that is got.
const LARGEST: u64 = 1 << 40;
/// Tries in a row that bring nothing.
const TRIES: u32 = 4;
/// How often progress is told.
const OFTEN: Duration = Duration::from_millis(200);

/// Where files come from, and how patiently.
#[derive(Debug, Clone)]
pub struct Hub {
    address: String,
    network: Network,
    token: Option<String>,
    offline: bool,
    /// How long nothing may come.
    pub idle: Duration,
    /// The wait before the second try; it doubles.
    pub wait: Duration,
}

/// What a hub says about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Bytes.
    pub size: u64,
    /// Bytes of it that are here from before.
    pub here: u64,
    sha256: String,
    commit: String,
    /// The hub itself has it, and knows it by this.
    etag: Option<String>,
}

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Bytes here.
    pub done: u64,
    /// Bytes of the whole file.
    pub size: u64,
    /// Bytes a second.
    pub rate: u64,
    /// Seconds left at that rate.
    pub left: Option<u64>,
}

impl Hub {
    /// Finds the hub to ask. `variable` reads the environment.
    pub fn find(network: Network, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let offline =
            set("HF_HUB_OFFLINE").is_some_and(|value| ["1", "on", "yes", "true"].contains(&value.to_lowercase().as_str()));
        Self {
            address: set("HF_ENDPOINT").unwrap_or_else(|| HUB.into()).trim_end_matches('/').to_owned(),
            network,
            token: set("HF_TOKEN"),
            offline,
            idle: Duration::from_secs(30),
            wait: Duration::from_millis(500),
        }
    }

    /// Asks about a model by its name, or about the usual one, which lies in two places.
    ///
    /// # Errors
    /// As [`Hub::offer`], and where the name names none.
    pub async fn find_offer(&self, model: Option<&str>, cache: &Cache) -> Result<(Wanted, Offer), Trouble> {
        let wanted = Wanted::parse(model.unwrap_or(USUAL))?;
        match self.offer(&wanted, cache).await {
            Ok(offer) => Ok((wanted, offer)),
            Err(trouble) if model.is_some() => Err(trouble),
            Err(_) => {
                let wanted = Wanted::parse(ELSEWHERE)?;
                let offer = self.offer(&wanted, cache).await?;
                Ok((wanted, offer))
            }
        }
    }

    /// Asks what a file is like.
    ///
    /// # Errors
    /// Fails with a sentence when the hub cannot be reached or asked, does not have the file, or gives no checksum for it.
    pub async fn offer(&self, wanted: &Wanted, cache: &Cache) -> Result<Offer, Trouble> {
        if self.offline {
            return Err(Trouble::environment(format!("{wanted} is not got.")).because("HF_HUB_OFFLINE is set.").so("Unset it."));
        }
        let (response, hops) = self.ask(Method::HEAD, wanted, |_| HeaderMap::new(), true).await.map_err(Failure::into_trouble)?;
        let status = response.status();
        let headers = response.headers();
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        if !(status.is_success() || status.is_redirection()) {
            return Err(self.refusal(status, wanted));
        }
        let etag = text("x-linked-etag").or_else(|| text(ETAG.as_str()));
        let sha256 = etag.as_deref().map(|etag| etag.trim_start_matches("W/").trim_matches('"').to_lowercase());
        let sha256 = sha256.filter(|sha| sha.len() == 64 && is_hex(sha)).ok_or_else(|| {
            Trouble::environment(format!("{wanted} is not got."))
                .because(format!("{} gives no checksum for it.", self.host()))
                .so("Choose another repository, or put the file here yourself: pytead-tui model use /path/of.gguf.")
        })?;
        let length = if status.is_success() { text(CONTENT_LENGTH.as_str()) } else { None };
        let size =
            text("x-linked-size").or(length).and_then(|size| size.parse().ok()).filter(|size| (1..=LARGEST).contains(size));
        let size = size.ok_or_else(|| {
            Trouble::environment(format!("{wanted} is not got."))
                .because(format!("{} does not say how large it is.", self.host()))
        })?;
        let commit = text("x-repo-commit").filter(|commit| is_hex(commit)).unwrap_or_else(|| sha256.clone());
        let blobs = cache.repository(&wanted.repository).join("blobs");
        let part = |name: &str| fs::metadata(blobs.join(name)).map_or(0, |meta| meta.len());
        let here = part(&sha256).max(part(&format!("{sha256}.incomplete"))).min(size);
        let etag = (status.is_success() && hops == 0).then(|| text(ETAG.as_str())).flatten();
        Ok(Offer { size, here, sha256, commit, etag })
    }

    /// Gets a file into the cache and gives its path there.
    ///
    /// # Errors
    /// Fails with a sentence when there is no room, when somebody else gets it now, when the connection breaks again and
    /// again, or when what came is not what was offered. What is here then stays for the next try, unless it is wrong.
    pub async fn get(
        &self,
        wanted: &Wanted,
        offer: &Offer,
        cache: &Cache,
        mut tell: impl FnMut(Progress),
    ) -> Result<std::path::PathBuf, Trouble> {
        let repository = cache.repository(&wanted.repository);
        let blobs = repository.join("blobs");
        let blob = blobs.join(&offer.sha256);
        fs::create_dir_all(&blobs).map_err(|error| unwritable(&blobs, &error))?;
        if !blob.metadata().is_ok_and(|meta| meta.len() == offer.size) {
            let _lock = lock(&blobs.join(format!("{}.lock", offer.sha256)), wanted)?;
            let part = blobs.join(format!("{}.incomplete", offer.sha256));
            room(&blobs, offer.size - offer.here.min(offer.size))?;
            self.fill(wanted, offer, &part, &mut tell).await?;
            fs::rename(&part, &blob).map_err(|error| unwritable(&blob, &error))?;
        }
        if let Err(trouble) = Gguf::read(&blob) {
            let _ = fs::remove_file(&blob);
            return Err(Trouble { todo: Some("Choose another file.".into()), ..trouble });
        }
        link(&repository, wanted, offer).map_err(|error| unwritable(&repository, &error))?;
        cache.file(wanted).ok_or_else(|| Trouble::internal(format!("{wanted} is not where it was put.")))
    }

    /// Fills the file up, try after try, and checks it.
    async fn fill(&self, wanted: &Wanted, offer: &Offer, part: &Path, tell: &mut impl FnMut(Progress)) -> Result<(), Trouble> {
        let mut partial = Partial::open(part, offer.size).map_err(|error| unwritable(part, &error))?;
        // What is here from before may be the wrong part: then once more from the beginning.
        let mut again = partial.done > 0;
        let mut vain = 0;
        loop {
            let before = partial.done;
            let ended = if before == offer.size { Ok(()) } else { self.more(wanted, offer, &mut partial, tell).await };
            match ended {
                Ok(()) if partial.is(&offer.sha256).map_err(|error| unwritable(part, &error))? => return Ok(()),
                Ok(()) if again => {
                    again = false;
                    partial.begin_again().map_err(|error| unwritable(part, &error))?;
                }
                Ok(()) => {
                    let _ = fs::remove_file(part);
                    return Err(Trouble::environment(format!("{wanted} is not what {} says it is.", self.host()))
                        .because("Its checksum is another one, so it was thrown away.")
                        .so("Get it again, or choose another repository."));
                }
                Err(Failure::Final(trouble)) => return Err(trouble),
                Err(Failure::Passing(trouble)) => {
                    vain = if partial.done > before { 0 } else { vain + 1 };
                    if vain >= TRIES {
                        let kept = format!("{} of {} are kept.", bytes(partial.done), bytes(offer.size));
                        return Err(trouble.so(format!("Get it again to go on: {kept}")));
                    }
                    tokio::time::sleep(self.wait * 2_u32.pow(vain)).await;
                }
            }
        }
    }

    /// Gets what is missing, or as much of it as comes.
    async fn more(
        &self,
        wanted: &Wanted,
        offer: &Offer,
        partial: &mut Partial,
        tell: &mut impl FnMut(Progress),
    ) -> Result<(), Failure> {
        let from = partial.done;
        let headers = |hop: usize| {
            let mut headers = HeaderMap::new();
            headers.extend(pair(ACCEPT_ENCODING, "identity"));
            if from > 0 {
                headers.extend(pair(RANGE, &format!("bytes={from}-")));
                // Where it was sent on to, the file is known by another word; the checksum decides there.
                headers.extend(offer.etag.as_deref().filter(|_| hop == 0).and_then(|etag| pair(IF_RANGE, etag)));
            }
            headers
        };
        let (mut response, _) = self.ask(Method::GET, wanted, headers, false).await?;
        let strange = |why: &str| {
            Failure::Final(Trouble::environment(format!("{} sends something else than {wanted}.", self.host())).because(why))
        };
        match response.status() {
            StatusCode::PARTIAL_CONTENT => {
                let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok()).unwrap_or_default();
                if range != format!("bytes {from}-{}/{}", offer.size - 1, offer.size) {
                    return Err(strange("It is not the part that was asked for."));
                }
            }
            StatusCode::OK => {
                if response.content_length().is_some_and(|length| length != offer.size) {
                    return Err(strange("It has another size."));
                }
                partial.begin_again().map_err(|error| Failure::Final(unwritable(&partial.path, &error)))?;
            }
            StatusCode::RANGE_NOT_SATISFIABLE if from > 0 => {
                partial.begin_again().map_err(|error| Failure::Final(unwritable(&partial.path, &error)))?;
                return Err(Failure::Passing(Trouble::environment(format!("{} has no such part.", self.host()))));
            }
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                return Err(Failure::Passing(self.refusal(status, wanted)));
            }
            status => return Err(Failure::Final(self.refusal(status, wanted))),
        }
        let (start, begun) = (Instant::now(), partial.done);
        let mut told: Option<Instant> = None;
        while partial.done < offer.size {
            let cut = |why: String| {
                Failure::Passing(Trouble::environment(format!("The connection to {} broke.", self.host())).because(why))
            };
            let mut next = std::pin::pin!(tokio::time::timeout(self.idle, response.chunk()));
            let next = loop {
                tokio::select! {
                    next = &mut next => break next,
                    // What stalls gets slower and slower, and is seen to.
                    () = tokio::time::sleep(OFTEN) => tell(Progress::of(partial.done, begun, offer.size, start.elapsed())),
                }
            };
            let chunk = match next {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => return Err(cut("It ended early.".into())),
                Ok(Err(error)) => return Err(cut(format!("{}.", reason(&error)))),
                Err(_) => return Err(cut(format!("Nothing came for {} s.", self.idle.as_secs()))),
            };
            if chunk.len() as u64 > offer.size - partial.done {
                return Err(strange("There is more of it than was said."));
            }
            partial.add(&chunk).map_err(|error| Failure::Final(unwritable(&partial.path, &error)))?;
            if told.is_none_or(|told| told.elapsed() >= OFTEN) || partial.done == offer.size {
                told = Some(Instant::now());
                tell(Progress::of(partial.done, begun, offer.size, start.elapsed()));
            }
        }
        Ok(())
    }

    /// Asks for a file and follows where the hub sends the request on to. With `only_hub`, stops at the first answer
    /// that describes the file. Gives the number of redirects followed as well.
    async fn ask(
        &self,
        method: Method,
        wanted: &Wanted,
        headers: impl Fn(usize) -> HeaderMap,
        only_hub: bool,
    ) -> Result<(Response, usize), Failure> {
        let address = format!("{}/{}/resolve/{REVISION}/{}", self.address, wanted.repository, wanted.file);
        let mut url = Url::parse(&address).map_err(|error| {
            Failure::Final(
                Trouble::usage(format!("HF_ENDPOINT is {}, which is no address.", display_line(&self.address)))
                    .because(format!("{error}."))
                    .so("Correct or unset it."),
            )
        })?;
        let mut from = None;
        for hop in 0..HOPS {
            let builder =
                step(self.network, method.clone(), from.as_ref(), &url).map_err(|error| Failure::Final(error.trouble()))?;
            let mut builder = builder.headers(headers(hop));
            if let Some(token) = &self.token
                && url.host_str() == Some(TOKEN_HOST)
                && url.scheme() == "https"
            {
                builder = builder.header(AUTHORIZATION, format!("Bearer {token}"));
            }
            let sent = tokio::time::timeout(self.idle, builder.send()).await;
            let host = url.host_str().unwrap_or_default().to_owned();
            let unreachable = |why: String| {
                Failure::Passing(
                    Trouble::environment(format!("{} cannot be reached.", display_line(&host)))
                        .because(why)
                        .so("Look at the network, or name another hub in HF_ENDPOINT."),
                )
            };
            let response = match sent {
                Ok(Ok(response)) => response,
                Ok(Err(error)) => return Err(unreachable(format!("{}.", reason(&error)))),
                Err(_) => return Err(unreachable(format!("There was no answer in {} s.", self.idle.as_secs()))),
            };
            let describes = only_hub && response.headers().contains_key("x-linked-etag");
            if !response.status().is_redirection() || describes {
                return Ok((response, hop));
            }
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).and_then(|to| url.join(to).ok());
            let Some(to) = to else {
                return Err(Failure::Final(Trouble::environment(format!("{} sends the request nowhere.", display_line(&host)))));
            };
            from = Some(std::mem::replace(&mut url, to));
        }
        Err(Failure::Final(Trouble::environment(format!("{} sends the request around in circles.", self.host()))))
    }

    fn refusal(&self, status: StatusCode, wanted: &Wanted) -> Trouble {
        let host = self.host();
        match status {
            StatusCode::NOT_FOUND => Trouble::environment(format!("{host} has no {wanted}.")).so("Correct its name."),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Trouble::environment(format!("{host} does not give {wanted} to you."))
                    .because("It does not exist, or its owner has to let you in.")
                    .so("Correct its name, or put a token that may read it into HF_TOKEN.")
            }
            status => Trouble::environment(format!("{host} answered with {}.", status.as_u16())).so("Try again later."),
        }
    }

    fn host(&self) -> String {
        let url = Url::parse(&self.address).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or(&self.address);
        display_line(host).into_owned()
    }
}

/// Why a try did not bring the whole file.
enum Failure {
    /// Another try may.
    Passing(Trouble),
    /// No other try will.
    Final(Trouble),
}

impl Failure {
    fn into_trouble(self) -> Trouble {
        match self {
            Self::Passing(trouble) | Self::Final(trouble) => trouble,
        }
    }
}

impl Progress {
    fn of(done: u64, begun: u64, size: u64, took: Duration) -> Self {
        let rate = (done - begun) * 1_000 / u64::try_from(took.as_millis()).unwrap_or(u64::MAX).max(1);
        Self { done, size, rate, left: (rate > 0).then(|| (size - done) / rate) }
    }
}

/// A file that is not whole yet, and the checksum of what is there.
struct Partial {
    path: std::path::PathBuf,
    file: File,
    done: u64,
    sum: Sha256,
}

impl Partial {
    fn open(path: &Path, size: u64) -> std::io::Result<Self> {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
        let mut partial = Self { path: path.to_owned(), file, done: 0, sum: Sha256::default() };
        if partial.file.metadata()?.len() > size {
            partial.begin_again()?;
        }
        let mut buffer = vec![0; 1 << 20];
        loop {
            let read = partial.file.read(&mut buffer)?;
            if read == 0 {
                return Ok(partial);
            }
            partial.sum.update(&buffer[..read]);
            partial.done += read as u64;
        }
    }

    fn begin_again(&mut self) -> std::io::Result<()> {
        self.file.set_len(0)?;
        std::io::Seek::rewind(&mut self.file)?;
        self.done = 0;
        self.sum = Sha256::default();
        Ok(())
    }

    fn add(&mut self, chunk: &[u8]) -> std::io::Result<()> {
        self.file.write_all(chunk)?;
        self.sum.update(chunk);
        self.done += chunk.len() as u64;
        Ok(())
    }

    /// Writes all of it to the disk and tells whether it is what it should be.
    fn is(&self, sha256: &str) -> std::io::Result<bool> {
        self.file.sync_all()?;
        Ok(self.sum.hex() == sha256)
    }
}

fn pair(name: HeaderName, value: &str) -> Option<(HeaderName, reqwest::header::HeaderValue)> {
    Some((name, value.parse().ok()?))
}

/// Keeps two programs from writing the same file.
fn lock(path: &Path, wanted: &Wanted) -> Result<File, Trouble> {
    let file = File::create(path).map_err(|error| unwritable(path, &error))?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| Trouble::environment(format!("{wanted} is being got by another program.")).so("Wait for it, or end it."))?;
    Ok(file)
}

/// Refuses what the disk has no room for.
fn room(folder: &Path, needed: u64) -> Result<(), Trouble> {
    // Where the system does not say, writing will.
    let Ok(disk) = rustix::fs::statvfs(folder) else { return Ok(()) };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free >= needed.saturating_add(SPARE) {
        return Ok(());
    }
    Err(Trouble::environment(format!("There is no room: {} are needed and {} are free.", bytes(needed), bytes(free))).so(
        format!("Make room in {}, or set HF_HOME to a folder on another disk.", display_line(&crate::base::paths::tilde(folder))),
    ))
}

/// Puts the file where it is looked for.
fn link(repository: &Path, wanted: &Wanted, offer: &Offer) -> std::io::Result<()> {
    let place = repository.join("snapshots").join(&offer.commit).join(&wanted.file);
    let depth = wanted.file.split('/').count() + 1;
    let target = Path::new(&"../".repeat(depth)).join("blobs").join(&offer.sha256);
    place.parent().map_or(Ok(()), fs::create_dir_all)?;
    match fs::remove_file(&place) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => std::os::unix::fs::symlink(target, &place)?,
    }
    fs::create_dir_all(repository.join("refs"))?;
    fs::write(repository.join("refs").join(REVISION), &offer.commit)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Trouble {
    let shown = display_line(&crate::base::paths::tilde(path)).into_owned();
    Trouble::environment(format!("{shown} cannot be written.")).because(format!("{error}.")).so("Make room, or set HF_HOME.")
}
