# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_pytead_tui_global_optspecs
    string join \n root= format= trust python= h/help V/version
end

function __fish_pytead_tui_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_pytead_tui_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_pytead_tui_using_subcommand
    set -l cmd (__fish_pytead_tui_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -s V -l version -d 'Print version'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "run" -d 'Record a program: its calls, their arguments and results'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "gen" -d 'Draft tests from recorded calls, and prove them'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "tead" -d 'Record, then draft: `run` and `gen` in one'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "replay" -d 'Run recorded calls against today\'s code: what changed, old → new'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "diff" -d 'Run recorded calls against a commit\'s code and today\'s: what the change does'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "agent" -d 'Let a coding agent see what its edits do, or take that out again'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "mcp" -d 'Serve a coding agent: MCP on standard input and output'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "draft" -d 'Ask the chosen language model for a test of a function'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "model" -d 'Get, choose and list the language models of this machine'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "types" -d 'Make type stubs from recorded calls'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "doc" -d 'Make docstring examples from recorded calls'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "review" -d 'Decide on what waits, line by line'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "watch" -d 'Watch the files and print what every save changes'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "import" -d 'Take in old traces (.gjson, .pkl, call_logs) or spools of another machine as a recording'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "check" -d 'Run tests and judge their intents; or say in sentences what a program has to do, and see whether it did'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "spec" -d 'Run YAML tests, whose steps call the tools of plugins; or only check how they are written'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "export" -d 'Print a recording, its calls or its journey; without one, list them'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "index" -d 'Read the project: its functions, and where a file does not parse'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "clean" -d 'Throw away recordings and drafts that no decision rests on'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "trust" -d 'Say whether this folder\'s code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "config" -d 'Show the settings, and where each comes from'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "doctor" -d 'Show what works on this machine: Python, pytest, sandbox, terminal, model'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "trace2test" -d 'Record functions: `run`, as it was called once'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "gentests" -d 'Draft tests into one file: `gen -o`, as it was called once'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "__judge" -d 'Answer pytest\'s plugin'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "__spec" -d 'Answer pytest\'s plugin about YAML tests'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "__tools" -d 'Let an agent call the tools of a YAML test'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "completions" -d 'Print the completions of a shell'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -s l -l limit -d 'Calls kept of each function: the first N with different arguments. By default they are chosen by what is new in them' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -s t -l target -l targets -d 'What is recorded: `module:function`, `module`, `*` as a wildcard; by default the whole project' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l events -d 'Where JSON events go (with --format json); by default the error stream' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l check -d 'Run the recorded calls once more at the end, to see which of them repeat; else the next command that needs them does'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l journey -d 'Record the journey, every event in its order, in place of calls with few inputs of each shape'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -s t -l targets -d 'More of them, as they were named once' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -s o -l output -d 'Write the drafts into this one file, in place of the project\'s tests' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -s d -l dir -d 'Write the drafts into this folder, a file a module, in place of the project\'s tests' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l why -d 'Draft nothing; list every reason why calls of these functions have no test, each with its code and what to do' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l accept -d 'Accept every draft that is proved, and write it'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l check -d 'Change nothing; end with 1 when an accepted test is gone or would be drafted otherwise from the calls recorded here. A test that a person changed stays as it is and is named, no more'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s l -l limit -d 'Calls kept of each function: the first N with different arguments. By default they are chosen by what is new in them' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s t -l target -l targets -d 'What is recorded; by default the whole project' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s o -l output -d 'Write the drafts into this one file, in place of the project\'s tests' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s d -l dir -d 'Write the drafts into this folder, a file a module, in place of the project\'s tests' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l events -d 'Where JSON events go (with --format json); by default the error stream' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l accept -d 'Accept every draft that is proved, and write it'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l allow-uncompared -d 'End with 0 where nothing differs, even if edited code was not compared (else 4)'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l hook -d 'Answer the stop hook of a coding agent: its JSON is read from standard input. Ends with 0 whatever happens'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l allow-uncompared -d 'End with 0 where nothing differs, even if edited code was not compared (else 4)'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -f -a "init" -d 'Show, then write, the entries of the MCP server and of the stop hook'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -f -a "remove" -d 'Take the entries out again; without a name, those of all agents'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l command -d 'What starts this program: `uvx pytead-tui`, `uv run pytead-tui`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l yes -d 'Write without asking'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -l yes -d 'Write without asking'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand mcp" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand mcp" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand mcp" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand mcp" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -s o -l output -d 'Write what is proved there, too, a file a module, or into one `.py`; by default to `output.default_dir`' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l scan-root -d 'A folder whose classes are known; all of the project\'s are' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l save-index -d 'Write the index of classes to a file' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l load-index -d 'An index of classes; ours is always of today, so it is only checked' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -s m -l message -d 'A remark for the model: `use pieces=10`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l provider -d 'The provider to ask: its name under `providers`, or `local`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l model -d 'The model to ask, by the name its provider knows it by' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l answers -d 'Recorded answers: off, replay, record or live' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l no-stream -d 'Print nothing before an answer is whole'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l no-index -d 'Tell the model no dependencies'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l show-outgoing -d 'Print what would be sent, byte for byte, and ask nobody'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -f -a "list" -d 'List the models that are here, and which one is chosen'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -f -a "get" -d 'Get a model from a Hugging Face hub; goes on where it stopped'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -f -a "use" -d 'Choose the model that is asked for drafts'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -f -a "rm" -d 'Remove a model from this machine'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from list" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from list" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from list" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from list" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -s y -l yes -d 'Get it without a question, however large it is'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from use" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from use" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from use" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from use" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from use" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from rm" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from rm" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from rm" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from rm" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -s d -l dir -l out-dir -d 'Write the stubs into this folder, as `typings/shop/cart.pyi`, those of whole packages, where `mypy_path` or pyright\'s `stubPath` finds them; by default they are printed' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l write -d 'Put the examples into the docstrings; by default they are only shown'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l undo -d 'Take back what was written last'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l accept -d 'Accept these proposals (`all`: everything that is proved, but for what a coding agent wrote) without asking' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l reject -d 'Reject these proposals without asking' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l why -d 'Why they are rejected: kept with the decision, for the log' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l list -d 'Only list what waits'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l undo -d 'Take back the last decision'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l redo -d 'Decide again what was taken back last'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand watch" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand watch" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand watch" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand watch" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand import" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand import" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand import" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand import" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -s c -l clause -d 'What has to hold, as in "Db.save is called before Mail.send"; may be given several times' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l from -d 'A file of such sentences, one a line' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l recording -d 'Decide on this recording; by default the last one with a journey' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l suggest -d 'Propose clauses for these tests, and say which small changes each would notice: those that hold, from what the test did; with `=model` also those that the chosen model makes of the intent. None counts before it is accepted' -r -f -a "journey\t'What the test did'
model\t'That, and the intent, by the chosen model'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l override -d 'Overrule the verdict on this test, for as long as neither what it does nor what decides it changes' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l reason -d 'Why, in at least 10 characters' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l expires -d 'The override ends after this: `12h`, `30d`, `2w`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l model -d 'The model that judges what rules leave open, in place of the chosen one\'s name' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l events -d 'Where JSON events go when a program is recorded (with --format json); by default the error stream' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l journey -d 'Print what each of these tests did, call by call'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l lines -d 'Print the lines that each of these tests reached'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l accept -d 'Accept what these tests do, or with --clause that sentence, as the meaning of their intents'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l covers-all -d 'With --accept and --clause: these clauses cover all of the intent, also where they share no word with it'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l audit -d 'List the overrides, and which of them no longer stand'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l dry-run -d 'Judge by rules, ask no model, and say what one would be asked and what that takes'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l show-outgoing -d 'Print what would be sent to a model for these tests, byte for byte; nothing is sent'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l refresh -d 'Ask the model anew, whatever it said before'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l stability -d 'Run these tests twice and say where what they do differs'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l strict -d 'End with 1 also when a sentence or an intent is unclear, or nothing happened that decides it'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -s j -l workers -d 'Tests at once; by default the setting spec.workers' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l timeout -d 'Seconds that a step may take that does not say so itself, in place of each test\'s own default' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l check -d 'Only say what is wrong with the files; no step is run. In a trusted folder the plugins are imported, whose tools these are'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l refresh -d 'Ask the model anew, whatever it said before'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -s v -l verbose -d 'Print each call of a tool and what it gave'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l strict -d 'End with 1 also when a test is unclear or could not be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l tools -d 'List the tools that these tests may call, and plugins that are broken'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l schema -d 'Print the JSON schema of the files, for editors'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -a "new" -d 'Have the chosen model write a YAML test, and a plugin where it needs one; it waits for your review'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l name -d 'The name of its file; by default made of the description' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l extend -d 'A plugin of the project that gets the tools that are missing' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l provider -d 'The provider to ask: its name under `providers`, or `local`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l model -d 'The model to ask, by the name its provider knows it by' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l answers -d 'Recorded answers: off, replay, record or live' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -s d -l dir -d 'With `finetuning`: the folder to write to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand index" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand index" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand index" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand index" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand index" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l older-than -d 'Only what is older: `12h`, `30d`, `2w`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l recordings -d 'Recordings that no draft, change or decision rests on'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l drafts -d 'Drafts that nobody decided on, and answers of models kept so that nothing is asked twice'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l verdicts -d 'Verdicts that models gave for this project; they can be made again, at their price'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l all-projects -d 'Verdicts that models gave for any project of yours'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l models -d 'Models of the hub\'s cache that are not chosen, and what broken downloads left. Other programs may use them too'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l all -d 'All of these but models and verdicts of other projects; never decisions, accepted tests or recorded answers'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l dry-run -d 'Say what would go and how much it frees, and remove nothing'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l send-to -d 'Let functions of this folder be sent to the model at this host' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l remove -d 'Take the trust back: this folder is only read from now on'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l list -d 'List the trusted folders, and what is allowed in each'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l allow-weak -d 'Let recorded calls run here where the sandbox is weak: it stops careless code, not hostile code'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -f -a "show" -d 'Print every setting'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -l origin -d 'With the file, variable or flag each value comes from'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doctor" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doctor" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doctor" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doctor" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -s l -l limit -d 'Calls kept of each function: the first N with different arguments. By default they are chosen by what is new in them' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -s o -l output -d 'The file to write; by default `tests/test_pytead_generated.py`' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l model -d 'The model\'s name, in place of the chosen one\'s' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l processes -d 'How many processes judge the tests of this run' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l session -d 'What all of them know the run by: they share what it may ask' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __spec" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __spec" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __spec" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __spec" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __spec" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __tools" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __tools" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __tools" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __tools" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __tools" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand completions" -l root -d 'The project\'s folder, in place of the one this folder belongs to' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand completions" -l format -d 'How results are printed: for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand completions" -l python -d 'The interpreter that runs the project\'s code' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand completions" -l trust -d 'Trust this folder for this call: its code may be run'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
