//! Starting a program under the recorder and reading its spool.
