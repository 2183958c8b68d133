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

complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -s V -l version -d 'Print version'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "run" -d 'Record the calls of a program'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "gen" -d 'Draft tests from recorded calls, and verify them'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "tead" -d 'Record, then draft: `run` and `gen` in one'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "replay" -d 'Run recorded calls against the current code'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "diff" -d 'Show what your change does to recorded calls'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "agent" -d 'Connect or disconnect a coding agent'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "mcp" -d 'Serve a coding agent over MCP on standard input and output'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "draft" -d 'Ask the chosen language model for tests of a function'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "model" -d 'Download, choose and list language models'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "types" -d 'Write type stubs from recorded calls'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "doc" -d 'Write docstring examples from recorded calls'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "review" -d 'Review drafts and changes one by one'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "watch" -d 'Print what each save changes'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "import" -d 'Import old traces, or recordings of another machine'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "check" -d 'Judge the intents of tests, or check sentences'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "spec" -d 'Run or validate YAML tests'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "export" -d 'Print a recording, or list all'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "index" -d 'List functions, and files with syntax errors'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "clean" -d 'Delete recordings and drafts that no decision uses'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "trust" -d 'Trust this project, or list and remove trusted projects'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "config" -d 'Show the settings and their sources'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "doctor" -d 'Show what works on this machine'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "trace2test" -d 'Record functions: `run`, as it was called once'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "gentests" -d 'Draft tests into one file: `gen -o`, as it was called once'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "__judge" -d 'Answer pytest\'s plugin'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "__spec" -d 'Answer pytest\'s plugin about YAML tests'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "__tools" -d 'Let an agent call the tools of a YAML test'
complete -c pytead-tui -n "__fish_pytead_tui_needs_command" -a "completions" -d 'Print shell completions'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -s l -l limit -d 'Store the first N calls of each function with different arguments [default: calls that add something new]' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -s t -l target -l targets -d 'Record only `module:function` or `module`; `*` is a wildcard [default: the whole project]' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l events -d 'Write JSON events to FILE (with --format json) [default: standard error]' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l check -d 'Run the recorded calls once at the end, to find those that repeat [default: the next command does it]'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l journey -d 'Record every call in its order (a journey), instead of a few for each kind of input'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -s t -l targets -d 'More of them, as they were named once' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -s o -l output -d 'Write the drafts into FILE, instead of the project\'s tests' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -s d -l dir -d 'Write the drafts into DIR, one file for each module, instead of the project\'s tests' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l why -d 'List why calls of these functions have no test, with codes and fixes; draft nothing' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l accept -d 'Accept and write every verified draft'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l near -d 'Also propose inputs beside the recorded ones, where tests leave faults unnoticed'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l check -d 'Write nothing; exit with 1 if an accepted test is missing or out of date'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gen" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s l -l limit -d 'Store the first N calls of each function with different arguments [default: calls that add something new]' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s t -l target -l targets -d 'Record only these [default: the whole project]' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s o -l output -d 'Write the drafts into FILE, instead of the project\'s tests' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s d -l dir -d 'Write the drafts into DIR, one file for each module, instead of the project\'s tests' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l events -d 'Write JSON events to FILE (with --format json) [default: standard error]' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l accept -d 'Accept and write every verified draft'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand tead" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l near -d 'Also try inputs near the recorded ones in edited functions; with `=fail`, exit with 1 if one gives another result' -r -f -a "show\t'They are shown, and change no exit code'
fail\t'With one of them the command exits with 1'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l allow-uncompared -d 'Exit with 0 instead of 4 if edited code was not compared'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l near -d 'Also try inputs near the recorded ones in edited functions; with `=fail`, exit with 1 if one gives another result' -r -f -a "show\t'They are shown, and change no exit code'
fail\t'With one of them the command exits with 1'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l hook -d 'Answer the stop hook of a coding agent: read its JSON on standard input, and always exit with 0'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l allow-uncompared -d 'Exit with 0 instead of 4 if edited code was not compared'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -f -a "init" -d 'Show, then write, the entries for the MCP server and the stop hook'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and not __fish_seen_subcommand_from init remove" -f -a "remove" -d 'Remove the entries of an agent, or of all agents'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l command -d 'The command that starts pytead-tui, such as `uvx pytead-tui` or `uv run pytead-tui`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l yes -d 'Write without asking'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -l yes -d 'Write without asking'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand agent; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand mcp" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand mcp" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand mcp" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand mcp" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -s o -l output -d 'Also write verified drafts into DIR, or into one `.py` file [default: `output.default_dir`]' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l scan-root -d 'Accepted for compatibility; the whole project is always indexed' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l save-index -d 'Write the index of classes to a file' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l load-index -d 'Accepted for compatibility; FILE is only validated' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -s m -l message -d 'An instruction for the model, such as `use pieces=10`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l provider -d 'Ask this provider: a name under `providers`, or `local`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l model -d 'Ask this model, by its provider\'s name for it' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l answers -d 'Use of recorded answers: off, replay, record or live' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l no-stream -d 'Print an answer only when it is complete'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l no-index -d 'Leave dependencies out of the prompt'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l show-outgoing -d 'Print the exact bytes for the model, and send nothing'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand draft" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -f -a "list" -d 'List downloaded models and the chosen one'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -f -a "get" -d 'Download a model from a Hugging Face hub, or resume a download'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -f -a "use" -d 'Choose the model for drafts'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and not __fish_seen_subcommand_from list get use rm" -f -a "rm" -d 'Delete a model from this machine'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from list" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from list" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from list" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from list" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -s y -l yes -d 'Download without asking, whatever the size'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from use" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from use" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from use" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from use" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from use" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from rm" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from rm" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from rm" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from rm" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand model; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -s d -l dir -l out-dir -d 'Write stubs of whole packages into DIR, where `mypy_path` or pyright\'s `stubPath` finds them [default: print]' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand types" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l write -d 'Write the examples into the docstrings [default: print a diff]'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l undo -d 'Undo the last write'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l accept -d 'Accept these proposals without asking; `all` is every verified one, except those by a coding agent' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l reject -d 'Reject these proposals without asking' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l keep -d 'Keep the old outcome of this difference beside the recorded inputs as a test' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l why -d 'Store this reason with the rejection' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l list -d 'List what needs review, and decide nothing'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l undo -d 'Undo the last decision'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l redo -d 'Redo the last undone decision'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand review" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand watch" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand watch" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand watch" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand watch" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand import" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand import" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand import" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand import" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -s c -l clause -d 'A sentence that must hold, as in "Db.save is called before Mail.send"; repeatable' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l from -d 'Read sentences from FILE, one a line' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l recording -d 'Decide on recording N [default: the last one with a journey]' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l suggest -d 'Propose clauses for these tests, with the small changes that each would detect; accept those that you want' -r -f -a "journey\t'From the journey of the test'
model\t'From the journey, and from the intent by the chosen model'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l override -d 'Overrule the verdict on this test, until its behaviour or its clauses change' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l reason -d 'The reason, in at least 10 characters' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l expires -d 'End the override after AGE: `12h`, `30d`, `2w`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l model -d 'Use this model of the chosen provider' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l events -d 'Write JSON events of a recorded program to FILE (with --format json) [default: standard error]' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l journey -d 'Print the journey of each test, call by call'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l lines -d 'Print the lines that each test reached'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l accept -d 'Accept the journeys of these tests, or the clauses of --clause, as the meaning of their intents'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l covers-all -d 'With --accept and --clause: these clauses cover the whole intent'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l audit -d 'List the overrides, and those that ended'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l dry-run -d 'Judge by rules only, and print the questions for a model with their cost'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l show-outgoing -d 'Print the exact bytes for a model, and send nothing'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l refresh -d 'Ignore cached answers'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l stability -d 'Run these tests twice and print where their journeys differ'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l strict -d 'Exit with 1 if a sentence or an intent is undecided, too'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -s j -l workers -d 'Run N tests at once [default: the setting spec.workers]' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l timeout -d 'Time limit of steps without their own' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l check -d 'Validate the files without running a step'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l refresh -d 'Ignore cached answers'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -s v -l verbose -d 'Print each call of a tool and its result'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l strict -d 'Exit with 1 if a test is unclear or cannot run, too'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l tools -d 'List tools and broken plugins'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l schema -d 'Print the JSON schema of the files, for editors'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and not __fish_seen_subcommand_from new" -a "new" -d 'Have the chosen model write a YAML test for your review'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l name -d 'The name of its file [default: from the description]' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l extend -d 'Add missing tools to this plugin of the project' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l provider -d 'Ask this provider: a name under `providers`, or `local`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l model -d 'Ask this model, by its provider\'s name for it' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l answers -d 'Use of recorded answers: off, replay, record or live' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand spec; and __fish_seen_subcommand_from new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -s d -l dir -d 'The folder for `finetuning`' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand index" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand index" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand index" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand index" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand index" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l older-than -d 'Delete only what is older than AGE: `12h`, `30d`, `2w`' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l recordings -d 'Delete recordings that no draft, change or decision uses'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l drafts -d 'Delete drafts without a decision, and cached answers of models'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l verdicts -d 'Delete cached verdicts of models for this project'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l all-projects -d 'Delete cached verdicts of models for all your projects'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l models -d 'Delete models that are not chosen, and interrupted downloads; other programs might use them'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l all -d 'Delete recordings, drafts and verdicts of this project; never decisions, accepted tests or recorded answers'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l dry-run -d 'Print what would be deleted and its size; delete nothing'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand clean" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l send-to -d 'Allow functions of this folder to be sent to the model at HOST' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l remove -d 'Remove the trust: this folder becomes read-only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l list -d 'List trusted folders, and their permissions'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l allow-weak -d 'Allow recorded calls to run in a weak sandbox, which stops accidents, not attacks'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trust" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and not __fish_seen_subcommand_from show" -f -a "show" -d 'Print every setting'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -l origin -d 'Add the file, variable or flag of each value'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doctor" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doctor" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doctor" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doctor" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -s l -l limit -d 'Store the first N calls of each function with different arguments [default: calls that add something new]' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand trace2test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -s s -l storage-dir -d 'Where old traces lie' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l additional-sys-path -d 'Folders the program imports from besides its own' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l gen-formats -d 'Forms of tests, of which there is one now' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -s o -l output -d 'The file to write [default: `tests/test_pytead_generated.py`]' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l only-targets -d 'Draft only for the targets, as is always done where there are any'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand gentests" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l model -d 'The model\'s name, in place of the chosen one\'s' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l processes -d 'How many processes judge the tests of this run' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l session -d 'What all of them know the run by: they share what it may ask' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __judge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __spec" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __spec" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __spec" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __spec" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __spec" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __tools" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __tools" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __tools" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __tools" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand __tools" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand completions" -l root -d 'Use DIR as the project root' -r -F
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand completions" -l format -d 'Print for people, or as JSON lines' -r -f -a "human\t'For people'
json\t'One JSON object a line: the engine\'s events, then the result'
markdown\t'A comment for a pull request; `diff` only'
agent\t'Short, for a coding agent; `diff` only'"
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand completions" -l python -d 'Run the project\'s code with this interpreter' -r
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand completions" -l trust -d 'Trust this project for this command only'
complete -c pytead-tui -n "__fish_pytead_tui_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
