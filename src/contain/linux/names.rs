//! The few files of `/etc` by which programs inside find names: of users, and of this machine.

use std::io;
use std::net::UdpSocket;
use std::path::Path;

use crate::contain::confinement::Profile;

/// Writes accounts of this user alone and, where there is a network, the names of this machine.
pub(super) fn write(etc: &Path, profile: Profile) -> io::Result<()> {
    let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    std::fs::create_dir_all(etc)?;
    std::fs::write(etc.join("passwd"), format!("user:x:{user}:{group}::/tmp:/bin/false\n"))?;
    std::fs::write(etc.join("group"), format!("user:x:{group}:\n"))?;
    std::fs::write(etc.join("nsswitch.conf"), "passwd: files\ngroup: files\nhosts: files\n")?;
    match profile {
        Profile::Calls => Ok(()),
        Profile::RecordedTest => {
            let has_ipv6 = UdpSocket::bind("[::1]:0").is_ok();
            let own = rustix::system::uname();
            std::fs::write(etc.join("hosts"), hosts(&own.nodename().to_string_lossy(), has_ipv6))
        }
    }
}

/// Gives the text of `/etc/hosts`: every name is the loopback.
fn hosts(own: &str, has_ipv6: bool) -> String {
    let is_name = !own.is_empty() && own.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    let own = if is_name && own != "localhost" { format!(" {own}") } else { String::new() };
    let ipv6 = if has_ipv6 { "::1 localhost\n" } else { "" };
    format!("127.0.0.1 localhost{own}\n{ipv6}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_the_loopback() {
        assert_eq!(hosts("laptop", true), "127.0.0.1 localhost laptop\n::1 localhost\n");
        for own in ["", "localhost", "a\n10.0.0.1 b"] {
            assert_eq!(hosts(own, false), "127.0.0.1 localhost\n", "{own:?}");
        }
    }
}
