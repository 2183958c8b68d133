//! The first replay of a recording: its calls run once more on the code they were recorded with. Only those that repeat
//! their recorded outcome are used from then on; the others depend on something that was not recorded.
//!
//! What was edited meanwhile is put aside for it: the worker imports those files from the texts that the program ran. What the
//! edits changed is told after, as of any save.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::error::Trouble;
use crate::base::hash;
use crate::base::paths::RelPath;
use crate::base::scratch::Scratch;
use crate::base::seal::Sha256;
use crate::base::text;
use crate::domain::call::{Call, CallId, Effect, RecordingId};
use crate::domain::event::{JobKind, Level};
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::snapshot::Topic;
use crate::domain::subject::Subject;
use crate::domain::touch::Touch;
use crate::engine::calls;
use crate::engine::checks::secrets::Sources;
use crate::engine::index::last_said;
use crate::engine::index::reachability;
use crate::engine::index::refresh;
use crate::engine::python::environment::{self, Environment};
use crate::engine::python::replay_calls::{Observed, On, Replaying};
use crate::engine::python::rerun::Files;
use crate::engine::replay::changes::asked_about;
use crate::engine::replay::code_versions::{self, RecordedVersion};
use crate::engine::replay::compare;
use crate::engine::replay::edited;
use crate::engine::replay::imports;
use crate::engine::replay::recorded_tests::{self, first_run};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::generate::noise;
use crate::generate::replay::difference;
use crate::python::protocol::Former;
use crate::python::zygote::NotMade;
use crate::record::LoadedModule;
use crate::source::index::Index;

/// How often calls are tried while files go on being edited under them.
const ATTEMPTS: usize = 5;
/// Bytes of texts that are put in the place of files; with more, a whole other version of the project, nothing is said of
/// calls that end differently.
const FORMER_MAX: usize = 8 << 20;

/// The code that recordings of this process ran, until their calls were tried.
#[derive(Default)]
struct Ran(Mutex<HashMap<RecordingId, Arc<Index>>>);

/// Finds out which code a program ran that has just ended, and keeps it until the calls were tried: the code as it was read
/// when the program began, or as it is now where the program says so. Nothing is kept where files were edited meanwhile and
/// the program does not say what it had loaded of them.
pub async fn note_ran(core: &Arc<Core>, recording: RecordingId, begun: Arc<Index>, loaded: Vec<LoadedModule>) {
    let root = core.root.clone();
    let found = blocking(move || {
        let mut now = (*begun).clone();
        let edited = now.update(&root, None).files;
        let ran = |index: &Index, path: &RelPath| {
            let mut of_file = loaded.iter().filter(|module| module.path == *path && !module.sha256.is_empty()).peekable();
            let text = index.text(path).unwrap_or_default();
            of_file.peek().is_some() && of_file.all(|module| is_source(&text, &module.sha256))
        };
        // Tests write files, too: one that came and was not loaded is no code that ran.
        let is_left_behind = |path: &RelPath| begun.text(path).is_none() && loaded.iter().all(|module| module.path != *path);
        let edited: Vec<&RelPath> = edited.iter().filter(|path| !is_left_behind(path)).collect();
        [begun.clone(), Arc::new(now)].into_iter().find(|index| edited.iter().all(|path| ran(index, path)))
    });
    let Ok(Some(index)) = found.await else { return };
    core.part::<Ran>().0.lock().insert(recording, index.clone());
    let worker = core.clone();
    let kept = blocking(move || {
        let mut sources = Sources::new(&worker.root, &index);
        let mut kept = |text: Arc<str>| {
            let safe = sources.kept(&text);
            if *safe == *text { text } else { Arc::from(without_secrets(&text, &safe)) }
        };
        let texts = index.modules().filter_map(|module| Some((module.path.clone(), kept(index.text(&module.path)?)))).collect();
        worker.store().put_ran(recording, &texts)
    });
    if let Err(trouble) = kept.await.and_then(|kept| kept.map_err(Trouble::from)) {
        core.complain("recorder", &trouble);
    }
}

/// Stands before and after the hash of a file with secrets; its text without them follows.
const SECRETS_OUT: char = '\0';

/// What is kept of a text with secrets: its hash, and the text without them.
fn without_secrets(text: &str, safe: &str) -> String {
    format!("{SECRETS_OUT}{}{SECRETS_OUT}{safe}", hash::of(text.as_bytes()))
}

/// Gives the text that something was kept of: as the file is now, or with the secrets that the file has now, if either was its text.
fn with_secrets(kept: &str, now: &str, sources: &mut Sources<'_>) -> Option<String> {
    let (digest, safe) = kept.strip_prefix(SECRETS_OUT)?.split_once(SECRETS_OUT)?;
    let is_it = |text: &str| hash::of(text.as_bytes()).to_string() == digest;
    if is_it(now) {
        return Some(now.to_owned());
    }
    sources.put_back(safe, now).filter(|text| is_it(text))
}

/// Gives the code that a program ran, where that is known: also what another process noted.
async fn ran(core: &Arc<Core>, recording: RecordingId) -> Result<Option<Arc<Index>>, Trouble> {
    if let Some(known) = core.part::<Ran>().0.lock().get(&recording).cloned() {
        return Ok(Some(known));
    }
    let worker = core.clone();
    let found = blocking(move || {
        let Some(mut texts) = worker.store().ran(recording)? else { return Ok(None) };
        let today = worker.index();
        let mut sources = Sources::new(&worker.root, &today);
        for (path, text) in texts.iter_mut().filter(|(_, text)| text.starts_with(SECRETS_OUT)) {
            // Where a secret itself was edited, nobody knows the one that it was.
            let Some(whole) = today.text(path).and_then(|now| with_secrets(text, &now, &mut sources)) else { return Ok(None) };
            *text = whole;
        }
        let is_todays = |(path, text): (&RelPath, &String)| today.text(path).is_some_and(|now| *now == **text);
        if texts.len() == today.modules().count() && texts.iter().all(is_todays) {
            return Ok(Some(today));
        }
        let folder = Scratch::new()?;
        for (path, text) in &texts {
            let place = path.under(folder.path());
            std::fs::create_dir_all(place.parent().unwrap_or(folder.path())).map_err(unwritten)?;
            std::fs::write(&place, text).map_err(unwritten)?;
        }
        // How folders map to modules is configured there.
        for name in today.configuration() {
            let _ = std::fs::copy(name.under(&worker.root), name.under(folder.path()));
        }
        Ok::<_, Trouble>(Some(Arc::new(Index::build(folder.path(), &worker.settings().record.exclude, &|_, _| {}))))
    })
    .await??;
    if let Some(index) = &found {
        core.part::<Ran>().0.lock().insert(recording, index.clone());
    }
    Ok(found)
}

fn unwritten(error: std::io::Error) -> Trouble {
    Trouble::environment("The code of a recording cannot be laid out.").because(error)
}

/// Tells whether a file with this hash may hold this text, whose line ends were evened out.
fn is_source(text: &str, sha256: &str) -> bool {
    let is = |bytes: &[u8]| {
        let mut sum = Sha256::default();
        sum.update(bytes);
        sum.hex() == sha256
    };
    is(text.as_bytes()) || is(text.replace('\n', "\r\n").as_bytes())
}

/// After a recording: runs its calls once on the code they were recorded with. Those that end differently depend on
/// something that was not recorded; they are never replayed again. Where nobody knows that code any more, calls that end as
/// recorded on today's count too, and of the others nothing is said.
pub async fn calibrate(core: &Arc<Core>, recording: RecordingId) -> Result<(), Trouble> {
    let worker = core.clone();
    blocking(move || calls::external::note(&worker, recording)).await??;
    let calls = calls::read::replayable_of(core, recording)?;
    remember_unrun(core, recording, &calls).await?;
    if core.store().ran(recording)?.is_none() {
        // It comes from elsewhere, or its end was not seen.
        remember_all(core, recording).await?;
    }
    if calls.is_empty() || try_calls(core, recording, calls).await? {
        let ground = ground(core, recording).await?;
        if ground.is_theirs {
            imports::remember(core, &ground.former).await?;
        }
        core.store().set_tried(recording)?;
        let_go_of_code(core, recording)?;
        // By now it is known which files these calls read.
        let worker = core.clone();
        blocking(move || last_said::keep(&worker)).await?;
    }
    Ok(())
}

/// Remembers a hash of all code of the project, and of the files that its calls read: what was edited since is told against it,
/// recorded or not.
///
/// # Errors
/// Fails when the database does.
pub async fn remember_all(core: &Arc<Core>, recording: RecordingId) -> Result<(), Trouble> {
    let (worker, index) = (core.clone(), ran(core, recording).await?.unwrap_or_else(|| core.index()));
    blocking(move || {
        let mut prints = edited::prints(&index);
        prints.extend(reachability::data(&worker)?.iter().map(|(path, digest)| (Subject::File(path.clone()), digest)));
        Ok(worker.store().put_prints(prints)?)
    })
    .await?
}

/// Remembers the code of functions none of whose calls may be run, because they touched the world: that it was edited is all
/// that can be told of them.
async fn remember_unrun(core: &Arc<Core>, recording: RecordingId, tried: &[Call]) -> Result<(), Trouble> {
    let tried: BTreeSet<FunctionId> = tried.iter().map(|call| call.function.clone()).collect();
    let recorded = core.store().functions_in(recording)?.into_iter();
    let unrun: BTreeSet<Subject> = recorded.filter(|function| !tried.contains(function)).map(Subject::Function).collect();
    if unrun.is_empty() {
        return Ok(());
    }
    let index = ran(core, recording).await?.unwrap_or_else(|| core.index());
    let reach = reachability::reach_of_now(core, &index).await?;
    let worker = core.clone();
    blocking(move || code_versions::remember(&worker, &index, &unrun, &asked_about(&worker, &reach))).await?
}

/// Forgets the code that a program ran, once its calls were tried. That of tests is kept: they run on it again where they show a
/// difference (`recorded_tests/control.rs`).
fn let_go_of_code(core: &Core, recording: RecordingId) -> Result<(), Trouble> {
    if core.store().with_untried_tests()?.contains(&recording) {
        return Ok(());
    }
    if !core.store().has_tests(recording)? {
        core.store().forget_ran(recording)?;
    }
    core.part::<Ran>().0.lock().remove(&recording);
    Ok(())
}

/// Gives the code that a program ran, to run its tests on; `None` where nobody knows it any more.
///
/// # Errors
/// Fails when the database does.
pub async fn recorded_code(core: &Arc<Core>, recording: RecordingId) -> Result<Option<recorded_tests::On>, Trouble> {
    let Ground { index, former, edited, is_theirs } = ground(core, recording).await?;
    let texts: BTreeMap<RelPath, String> =
        former.into_iter().filter_map(|one| Some((RelPath::new(&one.path)?, one.text))).collect();
    let gone = edited.into_iter().filter(|path| !texts.contains_key(path)).collect();
    let files = Files { texts, gone, ..Files::default() };
    Ok(is_theirs.then_some(recorded_tests::On { index, files }))
}

/// Runs the recorded tests of all recordings once more whose calls cannot be made alone, on the code that they ran. Where nobody
/// knows that code any more, nothing is run.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn run_tests_of_rest(core: &Arc<Core>) -> Result<(), Trouble> {
    for recording in core.store().with_untried_tests()? {
        let Some(recorded) = recorded_code(core, recording).await? else {
            core.store().set_tests_tried(recording)?;
            continue;
        };
        first_run::run(core, recording, recorded).await?;
        let_go_of_code(core, recording)?;
    }
    Ok(())
}

/// Tries what no earlier process came to: recordings whose first replay was interrupted, or not allowed at that time.
pub async fn calibrate_rest(core: &Arc<Core>) -> Result<(), Trouble> {
    for recording in core.store().untried()? {
        calibrate(core, recording).await?;
    }
    Ok(())
}

/// Does what [`calibrate`] does for some calls of a recording, and tells whether it came to the end of them.
pub async fn try_calls(core: &Arc<Core>, recording: RecordingId, calls: Vec<Call>) -> Result<bool, Trouble> {
    for _ in 0..ATTEMPTS {
        let Some(tried) = attempt(core, recording, &calls).await? else { continue };
        let functions = calls.iter().map(|call| call.function.clone()).collect();
        if tried.edited
            && let Err(trouble) = compare::run(core, functions).await
        {
            core.complain("replay", &trouble);
        }
        return Ok(tried.whole);
    }
    core.say(Level::Warning, "recorder", "The code changed while its recorded calls were tried: they are tried again later.");
    Ok(false)
}

/// What calls are tried on.
struct Ground {
    index: Arc<Index>,
    /// The texts of edited files as they were.
    former: Vec<Former>,
    /// The edited files, those that came or went included.
    edited: BTreeSet<RelPath>,
    /// It is the code that the calls were recorded with.
    is_theirs: bool,
}

async fn ground(core: &Arc<Core>, recording: RecordingId) -> Result<Ground, Trouble> {
    let ran = ran(core, recording).await?;
    let core = core.clone();
    blocking(move || {
        let todays = |is_theirs| Ground { index: core.index(), former: Vec::new(), edited: BTreeSet::new(), is_theirs };
        let Some(ran) = ran else { return todays(false) };
        let edited: BTreeSet<RelPath> = (*ran).clone().update(&core.root, None).files.into_iter().collect();
        if edited.is_empty() && core.index().hash() == ran.hash() {
            return todays(true);
        }
        let former = |path: &RelPath| {
            let (module, text) = (ran.module(path)?.name.clone(), ran.text(path)?.to_string());
            Some(Former { module, path: path.to_string(), text })
        };
        let former: Vec<Former> = edited.iter().filter_map(former).collect();
        if former.iter().map(|one| one.text.len()).sum::<usize>() > FORMER_MAX {
            return todays(false);
        }
        Ground { index: ran, former, edited, is_theirs: true }
    })
    .await
}

/// What a try came to.
struct Tried {
    /// It was not cancelled before its end.
    whole: bool,
    /// Files are others than those that the calls were recorded with.
    edited: bool,
}

/// Tries calls; gives nothing where files were edited under them.
async fn attempt(core: &Arc<Core>, recording: RecordingId, calls: &[Call]) -> Result<Option<Tried>, Trouble> {
    let environment = environment::contained(core).await?;
    let replaying = core.part::<Replaying>();
    let _turn = replaying.0.lock().await;
    let job = core.jobs.begin(JobKind::Replay, JobSubject::NewCalls, calls.len() as u64);
    core.touch();
    if core.watcher.lock().is_none() {
        refresh::reread(core, None).await;
    }
    let Ground { index, former, edited, is_theirs } = ground(core, recording).await?;
    let is_edited = !edited.is_empty();
    let reach = reachability::reach_of_now(core, &index).await?;
    let began = code_versions::begin(core, &index, &reach, edited).await?;
    let observed = environment.try_all(core, On { index: &index, former: &former, files_as_recorded: true }, calls, &job).await?;
    let mut entered: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    for call in calls {
        let seen = observed.get(&call.id).map_or(&[][..], |seen| &seen.entered);
        let known = seen.iter().filter(|id| id.qualname().is_empty() || index.function(id).is_some());
        entered.entry(call.function.clone()).or_default().extend(known.cloned());
    }
    let worker = (core.clone(), index.clone());
    let reach = blocking(move || reachability::learn(&worker.0, &worker.1, reach, recording, entered)).await??;
    let functions = calls.iter().map(|call| call.function.clone()).collect();
    if !code_versions::stands(core, &index, &reach, &functions, &began).await? {
        job.end(false);
        return Ok(None);
    }
    let held =
        hold_still(core, &environment, On { index: &index, former: &former, files_as_recorded: true }, calls, &observed, &job)
            .await?;
    let recorded = RecordedVersion::of(core, &reach)?;
    let (mut confirmed, mut dropped) = (Vec::new(), Vec::new());
    for call in calls {
        let Some(seen) = observed.get(&call.id) else { continue };
        let code = recorded.code_key(&call.function);
        match &seen.effect {
            Ok(effect) if difference(&call.effect, &effect.as_noticed_in(&call.effect)).is_none() => {
                // A recording does not read iterators, nor listen to side effects: what was seen of them first is what counts.
                if is_theirs && effect.tells_more() && core.store().baseline_is_recorded(call.id)? {
                    core.store().set_baseline(call.id, Some(seen.bytes.clone()))?;
                }
                confirmed.push(seen.stored(call.id, code));
            }
            // Why it may not be run as it is was known before.
            Ok(_) | Err(_) if call.stood_in().is_some() => {}
            Ok(_) if held.contains_key(&call.id) => dropped.push((call.id, ReasonCode::HeldStill.into())),
            Ok(_) => dropped.push((call.id, call.withheld().unwrap_or_else(|| ReasonCode::NotReproducible.into()))),
            // The code is the recorded one: what has no name in it never had one.
            Err(NotMade { why, .. }) if is_theirs && why.code == ReasonCode::Removed => {
                dropped.push((call.id, Reason { code: ReasonCode::NotImportable, ..why.clone() }));
            }
            Err(not_made) => dropped.push((call.id, not_made.why.clone())),
        }
    }
    let (repeat, lost) = (confirmed.len(), dropped.len());
    core.store().put_outcomes(confirmed)?;
    // Where it is not known which code was recorded, but known that some was, today's is not taken for it: edits would be forgotten.
    if is_theirs || core.store().ran(recording)?.is_none() {
        let reached = reachability::reach_of(calls.iter().map(|call| &call.function), &reach);
        code_versions::remember(core, &index, &reached, &asked_about(core, &reach))?;
    }
    if is_theirs {
        core.store().set_not_replayable(dropped)?;
        for (call, seen) in held {
            core.store().set_baseline(call, Some(seen.bytes))?;
        }
    }
    let whole = !job.is_cancelled();
    job.end(whole);
    if lost > 0 && is_theirs {
        let line = format!("{repeat} of {} repeat; {lost} depend on more than was recorded", text::count(calls.len(), "call"));
        core.log.add(Level::Info, "replayed", &line, Some(Topic::Recording(recording)));
    } else if lost > 0 {
        let line = format!(
            "The code may have changed since the recording: {repeat} of {} end as recorded.",
            text::count(calls.len(), "call")
        );
        core.say(Level::Warning, "recorder", line);
    }
    core.touch();
    Ok(Some(Tried { whole, edited: is_edited }))
}

/// Runs calls that ended otherwise than recorded, and read the clock or chance, twice more with both held still; gives those
/// that ended alike both times, and in the way in which they were recorded. What they gave takes the place of what was recorded: later code is compared with that.
async fn hold_still(
    core: &Arc<Core>,
    environment: &Environment,
    on: On<'_>,
    calls: &[Call],
    observed: &HashMap<CallId, Observed>,
    job: &Job<'_>,
) -> Result<HashMap<CallId, Observed>, Trouble> {
    let follows = |call: &&Call| call.touches.iter().any(|touch| matches!(touch, Touch::Clock(_) | Touch::Random(_)));
    let ended_otherwise = |call: &&Call| {
        let effect = observed.get(&call.id).and_then(|seen| seen.effect.as_ref().ok());
        effect.is_some_and(|effect| difference(&call.effect, effect).is_some())
    };
    let mut again: Vec<Call> = calls.iter().filter(follows).filter(ended_otherwise).cloned().collect();
    if again.is_empty() {
        return Ok(HashMap::new());
    }
    again.iter_mut().for_each(|call| call.observed.held_still = true);
    let first = environment.try_all(core, on, &again, job).await?;
    let mut second = environment.try_all(core, on, &again, job).await?;
    let recorded: HashMap<CallId, &Effect> = again.iter().map(|call| (call.id, &call.effect)).collect();
    let alike = |(id, seen): (CallId, Observed)| {
        // A call that raises for lack of what was around it says nothing of what it did there.
        let effect = seen
            .effect
            .as_ref()
            .ok()
            .filter(|effect| recorded.get(&id).is_some_and(|recorded| noise::end_in_one_way(recorded, effect)))?;
        let other = second.remove(&id)?.effect.ok()?;
        difference(effect, &other).is_none().then_some((id, seen))
    };
    Ok(first.into_iter().filter_map(alike).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::settings::Settings;
    use crate::domain::snapshot::Trust;

    fn loaded(path: &str, text: &str) -> LoadedModule {
        let mut sum = Sha256::default();
        sum.update(text.as_bytes());
        LoadedModule { name: path.trim_end_matches(".py").into(), path: RelPath::new(path).unwrap(), sha256: sum.hex() }
    }

    /// Which code counts as what a program ran that had loaded `loaded`, where `m.py` was `old` when it began and is `new`
    /// when it ended: the text of `m.py`.
    async fn ran(old: &str, new: &str, loaded: Vec<LoadedModule>) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let store = crate::store::open_in_memory().unwrap();
        let core = Arc::new(Core::new(folder.path().into(), Settings::default(), store, Trust::Trusted, "none".into()));
        std::fs::write(folder.path().join("m.py"), old).unwrap();
        let begun = Arc::new(Index::build(folder.path(), &[], &|_, _| {}));
        std::fs::write(folder.path().join("m.py"), new).unwrap();
        note_ran(&core, RecordingId(1), begun, loaded).await;
        let ran = core.part::<Ran>().0.lock().remove(&RecordingId(1))?;
        ran.text(&RelPath::new("m.py").unwrap()).map(|text| text.to_string())
    }

    #[tokio::test]
    async fn what_a_program_ran_is_known_by_what_it_says_it_loaded() {
        let (old, new) = ("A = 1\n", "A = 22\n");
        assert_eq!(ran(old, old, vec![]).await.as_deref(), Some(old), "nothing was edited");
        assert_eq!(ran(old, new, vec![loaded("m.py", old)]).await.as_deref(), Some(old), "edited while it ran");
        assert_eq!(ran(old, new, vec![loaded("m.py", new)]).await.as_deref(), Some(new), "edited just before it began");
        assert_eq!(ran(old, new, vec![]).await, None, "nobody knows");
        assert_eq!(ran(old, new, vec![loaded("m.py", old), loaded("m.py", new)]).await, None, "two processes, two versions");
    }

    #[test]
    fn a_file_with_secrets_is_kept_without_them_and_read_back_with_those_of_today() {
        let key = ["sk_live", "_", "4eC39HqLyjWDarjtT1zdp7dc"].concat();
        let old = format!(
            "TOKEN = \"{key}\"\nPASSWORD = \"hunter2hunter2\"\n\n\ndef login(password):\n    return 1\n\n\ndef f(x):\n    return login(\"by-place-1\") + x\n"
        );
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("m.py"), &old).unwrap();
        let index = Index::build(folder.path(), &[], &|_, _| {});
        let mut sources = Sources::new(folder.path(), &index);
        let kept = without_secrets(&old, &sources.kept(&old));
        assert!(![key.as_str(), "hunter2", "by-place"].iter().any(|secret| kept.contains(secret)), "{kept}");
        for now in [old.clone(), old.replace("+ x", "+ 2 * x"), old.replace("def f", "def g():\n    pass\n\n\ndef f")] {
            assert_eq!(with_secrets(&kept, &now, &mut sources).as_deref(), Some(old.as_str()), "{now}");
        }
        let other = old.replace("hunter2hunter2", "another2another");
        assert_eq!(with_secrets(&kept, &other, &mut sources), None, "a secret was edited");
        assert_eq!(with_secrets(&kept, "def f(x):\n    return x\n", &mut sources), None, "its secrets are gone");
    }

    #[tokio::test]
    async fn line_ends_of_another_system_are_no_other_source() {
        let (old, new) = ("A = 1\r\nB = 2\r\n", "A = 1\n");
        assert_eq!(ran(old, new, vec![loaded("m.py", old)]).await.as_deref(), Some("A = 1\nB = 2\n"));
    }
}
