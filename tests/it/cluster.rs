//! Several servers with one model, of which one dies in the middle of an answer, one hangs and one only fails. They are
//! scripted: no real one dies when a test wants it to.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::harness::Place;
use crate::harness::judge::configure;
use crate::harness::model::read_request;
use pytead_tui::domain::settings::Network;
use pytead_tui::llm::answer::whole;
use pytead_tui::llm::network::Route;
use pytead_tui::llm::openai::{OpenAi, Patience};
use pytead_tui::llm::pool::Pool;
use pytead_tui::llm::prompt::Prompt;
use pytead_tui::llm::provider::{Form, ModelError, Provider, Request};
use tokio_util::sync::CancellationToken;

/// Requests that each server takes at once.
const AT_ONCE: usize = 2;

/// What a server does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    /// It answers with this, or with what it was asked.
    Answers(Option<&'static str>),
    /// It breaks off in the middle of its first answer, and nobody listens there any more.
    Dies,
    /// It takes requests and says nothing.
    Hangs,
    /// It gives 500.
    Fails,
}

/// A server, a thread for each request.
struct Server {
    address: String,
    way: Way,
    /// The most requests at once, and all.
    most: Arc<AtomicUsize>,
    all: Arc<AtomicUsize>,
}

impl Server {
    fn start(way: Way) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let (now, most, all) = <(Arc<AtomicUsize>, Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let server = Self { address: format!("http://{here}/v1"), way, most: most.clone(), all: all.clone() };
        let dead = Arc::new(AtomicBool::new(false));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if dead.load(Ordering::SeqCst) {
                    return;
                }
                let (now, most, all, dead) = (now.clone(), most.clone(), all.clone(), dead.clone());
                std::thread::spawn(move || {
                    let Some(body) = read_request(&stream) else { return };
                    all.fetch_add(1, Ordering::SeqCst);
                    now.fetch_add(1, Ordering::SeqCst);
                    // The others of its time come, if there are any. A request that the client gave up on goes: its
                    // connection closes a moment after the client sent the next one.
                    std::thread::sleep(Duration::from_millis(50));
                    most.fetch_max(now.load(Ordering::SeqCst), Ordering::SeqCst);
                    let _ = answer(way, stream, &body, || now.fetch_sub(1, Ordering::SeqCst));
                    if way == Way::Dies && !dead.swap(true, Ordering::SeqCst) {
                        // Wakes who listens, for the last time.
                        let _ = TcpStream::connect(here);
                    }
                });
            }
        });
        server
    }

    fn counted(&self) -> (usize, usize) {
        (self.most.load(Ordering::SeqCst), self.all.load(Ordering::SeqCst))
    }
}

fn answer(way: Way, mut stream: TcpStream, body: &str, ends: impl Fn() -> usize) -> std::io::Result<()> {
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    let asked = body["messages"][1]["content"].as_str().unwrap_or_default();
    let text = match way {
        Way::Answers(text) => text.unwrap_or(asked),
        Way::Dies => "this is no answer, but half of one that nobody may read",
        Way::Hangs => {
            // Until the peer has enough of it.
            let _ = read_request(&stream);
            ends();
            return Ok(());
        }
        Way::Fails => {
            ends();
            return write!(stream, "HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    };
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    let mut event = |value: serde_json::Value| {
        write!(stream, "data: {value}\n\n")?;
        stream.flush()
    };
    for word in text.split_inclusive(' ') {
        event(serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": word } }] }))?;
    }
    ends();
    if way == Way::Dies {
        return Ok(());
    }
    event(serde_json::json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }))?;
    write!(stream, "data: [DONE]\n\n")
}

fn pool(servers: &[&Server]) -> Arc<Pool> {
    let place = |server: &&Server| -> Arc<dyn Provider> {
        let route = Route::open(Network::Loopback, &server.address).unwrap();
        // One that answers is never given up on, however long this machine stands still: a request that was given up on would
        // run on there beside the next.
        let first = Duration::from_secs(if server.way == Way::Hangs { 2 } else { 300 });
        let patience = Patience { tries: 1, first, ..Patience::usual(true) };
        Arc::new(OpenAi::new(route, "tiny", None, u32::try_from(AT_ONCE).unwrap(), patience))
    };
    Arc::new(Pool::new(servers.iter().map(place).collect()))
}

/// Asks so many questions at once, and gives what became of each.
async fn ask(pool: &Arc<Pool>, count: usize) -> Vec<Result<String, ModelError>> {
    let asked = (0..count).map(|at| {
        let pool = Arc::clone(pool);
        let prompt =
            Prompt { system: "Say it again.".into(), user: format!("word {at} of many"), version: 1, ..Prompt::default() };
        let request = Request { prompt, max_tokens: 200, temperature: 0.0, form: Form::Text };
        tokio::spawn(async move { whole(pool.as_ref(), request, CancellationToken::new()).await })
    });
    let mut answers = Vec::new();
    for task in asked.collect::<Vec<_>>() {
        answers.push(task.await.unwrap().map(|answer| answer.text));
    }
    answers
}

fn all_right(answers: &[Result<String, ModelError>]) {
    for (at, answer) in answers.iter().enumerate() {
        assert_eq!(answer.as_deref(), Ok(format!("word {at} of many").as_str()), "each question has its own answer");
    }
}

#[tokio::test]
async fn of_several_servers_one_dies_one_hangs_one_fails_and_all_answers_arrive() {
    let (dies, hangs, fails) = (Server::start(Way::Dies), Server::start(Way::Hangs), Server::start(Way::Fails));
    let (one, two) = (Server::start(Way::Answers(None)), Server::start(Way::Answers(None)));
    let all = [&dies, &hangs, &fails, &one, &two];
    let pool = pool(&all);
    all_right(&ask(&pool, 16).await);
    for server in all {
        let (most, asked) = server.counted();
        assert!(most <= AT_ONCE, "{}: {most} at once", server.address);
        assert!(asked > 0, "{} was never asked: this shows nothing", server.address);
    }
    assert_eq!((one.counted().0, two.counted().0), (AT_ONCE, AT_ONCE), "those that answer are used as far as they may be");
    let before = [dies.counted().1, hangs.counted().1, fails.counted().1];
    all_right(&ask(&pool, 6).await);
    assert_eq!([dies.counted().1, hangs.counted().1, fails.counted().1], before, "those that failed rest");
}

#[tokio::test]
async fn where_all_servers_are_gone_the_last_reason_is_given() {
    let (one, two) = (Server::start(Way::Dies), Server::start(Way::Fails));
    let pool = pool(&[&one, &two]);
    let answers = ask(&pool, 3).await;
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
}

#[test]
fn a_draft_whose_server_dies_over_it_is_written_by_the_next_and_the_person_is_told() {
    const TEST: &str = "from doubles import double\n\n\ndef test_double():\n    assert double('a') == 'aa'\n";
    let (dies, goes_on) = (Server::start(Way::Dies), Server::start(Way::Answers(Some(TEST))));
    let place = Place::empty();
    place.save("doubles.py", "def double(x):\n    return x + x\n");
    let config = format!(
        "model: {{provider: here}}\nproviders:\n  here:\n    kind: openai\n    model: tiny\n    endpoints: ['{}', '{}']\n",
        dies.address, goes_on.address
    );
    configure(&place, &config);
    let (code, out, err) = place.run(&["--trust", "draft", "double"]);
    let host = dies.address.trim_start_matches("http://").trim_end_matches("/v1");
    let told = format!("{host} stopped in the middle of its answer");
    assert!(code == 0 && err.contains(&told) && err.contains("The others go on"), "{out}{err}");
    assert_eq!((dies.counted().1, goes_on.counted().1), (1, 1));
    let (code, out, err) = place.run(&["--trust", "review", "--accept", "all"]);
    assert_eq!(code, 0, "{out}{err}");
    let written = place.read("tests/pytead/test_pytead_doubles.py");
    assert!(written.contains("double('a') == 'aa'") || written.contains("double(\"a\") == \"aa\""), "{written}{out}{err}");
    assert!(!written.contains("half of one"), "{written}");
}

/// The servers' own counting: what is said of them above would be said of none.
#[test]
fn a_server_counts_what_comes_at_once() {
    let server = Server::start(Way::Answers(Some("x")));
    let host = server.address.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let gone = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut stream = TcpStream::connect(&host).unwrap();
                write!(stream, "POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 2\r\n\r\n{{}}").unwrap();
                let mut answer = String::new();
                std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
                gone.lock().unwrap().push(answer);
            });
        }
    });
    assert_eq!(gone.lock().unwrap().len(), 4);
    assert!(server.counted().0 > AT_ONCE && server.counted().1 == 4, "{:?}", server.counted());
}
