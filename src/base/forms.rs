//! The one table of the forms in which services issue tokens, and what finds them in a text.

use super::escapes::is_inside_word;
use std::sync::LazyLock;

/// What a token consists of behind its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// Letters, digits and `_-.`, of any number from the least on.
    Token,
    /// As a token, with `/`.
    Path,
    /// As a token, with what stands in base64, percent codes and hashes of passwords.
    Hash,
    /// Hexadecimal digits, exactly as many as the least says.
    Hex,
    /// As a token, three parts of it with dots between them.
    Three,
    /// Letters and digits in the groups of a UUID, perhaps with more behind it.
    Uuid,
}

/// A form: its prefix, the least length of the whole, what it consists of, and the kind shown in place of it.
pub(super) type Form = (&'static str, usize, Body, &'static str);

use Body::{Hash, Hex, Path, Three, Token, Uuid};

pub(super) const FORMS: &[Form] = &[
    ("ghp_", 36, Token, "github-token"),
    ("gho_", 36, Token, "github-token"),
    ("ghu_", 36, Token, "github-token"),
    ("ghs_", 36, Token, "github-token"),
    ("ghr_", 36, Token, "github-token"),
    ("github_pat_", 40, Token, "github-token"),
    ("glpat-", 20, Token, "gitlab-token"),
    ("glptt-", 20, Token, "gitlab-token"),
    ("gldt-", 20, Token, "gitlab-token"),
    ("glrt-", 20, Token, "gitlab-token"),
    ("sk-", 24, Token, "api-key"),
    ("sk_live_", 20, Token, "api-key"),
    ("sk_test_", 20, Token, "api-key"),
    ("rk_live_", 20, Token, "api-key"),
    ("rk_test_", 20, Token, "api-key"),
    ("whsec_", 20, Token, "api-key"),
    ("xoxa-", 20, Token, "slack-token"),
    ("xoxb-", 20, Token, "slack-token"),
    ("xoxe-", 20, Token, "slack-token"),
    ("xoxe.xox", 20, Token, "slack-token"),
    ("xoxp-", 20, Token, "slack-token"),
    ("xoxr-", 20, Token, "slack-token"),
    ("xoxs-", 20, Token, "slack-token"),
    ("xapp-", 20, Token, "slack-token"),
    ("hooks.slack.com/services/", 40, Path, "slack-webhook"),
    ("hooks.slack.com/workflows/", 40, Path, "slack-webhook"),
    ("discord.com/api/webhooks/", 50, Path, "discord-webhook"),
    ("discordapp.com/api/webhooks/", 50, Path, "discord-webhook"),
    ("AKIA", 20, Token, "aws-key"),
    ("ASIA", 20, Token, "aws-key"),
    ("X-Amz-Signature=", 40, Token, "signature"),
    ("sig=", 40, Hash, "signature"),
    ("AIza", 35, Token, "google-key"),
    ("ya29.", 30, Token, "google-token"),
    ("GOCSPX-", 30, Token, "google-key"),
    ("hf_", 30, Token, "hf-token"),
    ("pypi-", 40, Token, "pypi-token"),
    ("npm_", 36, Token, "npm-token"),
    ("rubygems_", 40, Token, "rubygems-token"),
    ("eyJ", 60, Token, "jwt"),
    ("SG.", 40, Token, "sendgrid-key"),
    ("dop_v1_", 40, Token, "digitalocean-token"),
    ("doo_v1_", 40, Token, "digitalocean-token"),
    ("dor_v1_", 40, Token, "digitalocean-token"),
    ("dckr_pat_", 25, Token, "docker-token"),
    ("dckr_oat_", 25, Token, "docker-token"),
    ("shpat_", 30, Token, "shopify-token"),
    ("shpca_", 30, Token, "shopify-token"),
    ("shppa_", 30, Token, "shopify-token"),
    ("shpss_", 30, Token, "shopify-token"),
    ("sq0atp-", 25, Token, "square-token"),
    ("sq0csp-", 25, Token, "square-token"),
    ("sq0idp-", 25, Token, "square-token"),
    ("EAAA", 60, Token, "square-token"),
    ("SK", 34, Hex, "twilio-key"),
    ("AC", 34, Hex, "twilio-key"),
    ("key-", 36, Hex, "mailgun-key"),
    ("pubkey-", 39, Hex, "mailgun-key"),
    ("dapi", 36, Hex, "databricks-token"),
    ("hvs.", 28, Token, "vault-token"),
    ("glsa_", 40, Token, "grafana-token"),
    ("glc_", 40, Token, "grafana-token"),
    ("lin_api_", 40, Token, "linear-key"),
    ("secret_", 50, Token, "notion-token"),
    ("ntn_", 40, Token, "notion-token"),
    ("PMAK-", 40, Token, "postman-key"),
    ("NRAK-", 30, Token, "newrelic-key"),
    ("figd_", 40, Token, "figma-token"),
    ("ATATT3x", 60, Token, "atlassian-token"),
    ("sntrys_", 40, Token, "sentry-token"),
    ("sntryu_", 40, Token, "sentry-token"),
    ("pscale_tkn_", 40, Token, "planetscale-token"),
    ("dp.st.", 40, Token, "doppler-token"),
    ("dp.pt.", 40, Token, "doppler-token"),
    ("dp.ct.", 40, Token, "doppler-token"),
    ("dp.sa.", 40, Token, "doppler-token"),
    ("dp.scim.", 40, Token, "doppler-token"),
    ("hvb.", 60, Token, "vault-token"),
    ("hvr.", 60, Token, "vault-token"),
    ("sbp_", 40, Token, "supabase-token"),
    ("sb_secret_", 30, Token, "supabase-token"),
    ("gsk_", 50, Token, "api-key"),
    ("xai-", 60, Token, "api-key"),
    ("pplx-", 45, Token, "api-key"),
    ("r8_", 38, Token, "api-key"),
    ("nvapi-", 50, Token, "api-key"),
    ("tvly-", 30, Token, "api-key"),
    ("phx_", 40, Token, "posthog-key"),
    ("nfp_", 38, Token, "netlify-token"),
    ("xkeysib-", 60, Token, "brevo-key"),
    ("sgp_", 40, Token, "sourcegraph-token"),
    ("FlyV1 fm2_", 60, Hash, "fly-token"),
    ("fo1_", 40, Token, "fly-token"),
    ("EZAK", 50, Token, "easypost-key"),
    ("sl.", 130, Token, "dropbox-token"),
    ("ops_eyJ", 100, Token, "1password-token"),
    ("CFPAT-", 45, Token, "contentful-token"),
    ("LTAI", 20, Token, "aliyun-key"),
    ("glft-", 20, Token, "gitlab-token"),
    ("glcbt-", 20, Token, "gitlab-token"),
    ("glimt-", 20, Token, "gitlab-token"),
    ("gloas-", 40, Token, "gitlab-token"),
    ("response=\"", 42, Hex, "digest"),
    ("xoxc-", 20, Token, "slack-token"),
    ("xoxd-", 20, Hash, "slack-token"),
    ("EAAB", 80, Token, "facebook-token"),
    ("EAAC", 80, Token, "facebook-token"),
    ("EAAD", 80, Token, "facebook-token"),
    ("EAAG", 80, Token, "facebook-token"),
    ("ABSK", 100, Hash, "aws-key"),
    ("Signature=", 74, Hex, "signature"),
    ("v0=", 67, Hex, "signature"),
    ("v1=", 67, Hex, "signature"),
    ("pul-", 44, Hex, "pulumi-token"),
    ("HRKU-", 40, Token, "heroku-key"),
    ("rnd_", 32, Token, "render-key"),
    ("pat", 82, Token, "airtable-token"),
    ("lsv2_pt_", 40, Token, "langsmith-key"),
    ("lsv2_sk_", 40, Token, "langsmith-key"),
    ("lin_oauth_", 40, Token, "linear-key"),
    ("tfp_", 40, Token, "typeform-token"),
    ("bkua_", 40, Token, "buildkite-token"),
    ("bkct_", 40, Token, "buildkite-token"),
    ("CCIPAT_", 40, Token, "circleci-token"),
    ("CCIPRJ_", 40, Token, "circleci-token"),
    ("v1.0-", 120, Token, "cloudflare-key"),
    ("pnu_", 36, Token, "prefect-key"),
    ("pnb_", 36, Token, "prefect-key"),
    ("duffel_live_", 40, Token, "duffel-token"),
    ("duffel_test_", 40, Token, "duffel-token"),
    ("aio_", 30, Token, "adafruit-key"),
    ("FLWSECK", 40, Token, "flutterwave-key"),
    ("shippo_live_", 40, Token, "shippo-token"),
    ("shippo_test_", 40, Token, "shippo-token"),
    ("rdme_", 60, Token, "readme-key"),
    ("dt0c01.", 80, Token, "dynatrace-token"),
    ("dt0s01.", 60, Token, "dynatrace-token"),
    ("AQVN", 38, Token, "yandex-key"),
    ("tskey-", 40, Token, "tailscale-key"),
    ("ico-", 34, Token, "infracost-key"),
    ("essu_", 50, Hash, "elastic-key"),
    ("pdl_live_", 50, Token, "paddle-key"),
    ("api_org_", 38, Token, "hf-token"),
    ("AKCp", 70, Token, "artifactory-key"),
    ("squ_", 44, Hex, "sonar-token"),
    ("sqp_", 44, Hex, "sonar-token"),
    ("sqa_", 44, Hex, "sonar-token"),
    ("pscale_pw_", 40, Token, "planetscale-token"),
    ("pscale_oauth_", 40, Token, "planetscale-token"),
    ("MT", 58, Three, "discord-token"),
    ("Mj", 58, Three, "discord-token"),
    ("Mz", 58, Three, "discord-token"),
    ("ND", 58, Three, "discord-token"),
    ("NT", 58, Three, "discord-token"),
    ("Nj", 58, Three, "discord-token"),
    ("Nz", 58, Three, "discord-token"),
    ("OD", 58, Three, "discord-token"),
    ("OT", 58, Three, "discord-token"),
    ("sdk-", 40, Uuid, "launchdarkly-key"),
    ("api-", 40, Uuid, "launchdarkly-key"),
    ("mob-", 40, Uuid, "launchdarkly-key"),
    ("access-sandbox-", 51, Uuid, "plaid-token"),
    ("access-development-", 55, Uuid, "plaid-token"),
    ("access-production-", 54, Uuid, "plaid-token"),
    ("pat-na1-", 44, Uuid, "hubspot-token"),
    ("pat-eu1-", 44, Uuid, "hubspot-token"),
    ("glagent-", 40, Token, "gitlab-token"),
    ("glsoat-", 20, Token, "gitlab-token"),
    ("glffct-", 20, Token, "gitlab-token"),
    ("GR1348941", 29, Token, "gitlab-token"),
    ("ATBB", 30, Token, "bitbucket-token"),
    ("ATCTT3x", 60, Token, "bitbucket-token"),
    ("ATTA", 60, Token, "trello-token"),
    ("sk.eyJ", 60, Token, "mapbox-token"),
    ("oy2", 46, Token, "nuget-key"),
    ("mlsn.", 60, Token, "mailersend-key"),
    ("napi_", 50, Token, "neon-key"),
    ("vercel_blob_rw_", 40, Token, "vercel-token"),
    ("pdl_sdbx_", 50, Token, "paddle-key"),
    ("access_token$production$", 50, Hash, "braintree-token"),
    ("access_token$sandbox$", 50, Hash, "braintree-token"),
    ("NRII-", 30, Token, "newrelic-key"),
    ("NRJS-", 20, Token, "newrelic-key"),
    ("hcaik_", 50, Token, "honeycomb-key"),
    ("hcxik_", 50, Token, "honeycomb-key"),
    ("hcamk_", 40, Token, "honeycomb-key"),
    ("xaat-", 40, Token, "axiom-token"),
    ("xapt-", 40, Token, "axiom-token"),
    ("pcsk_", 50, Token, "pinecone-key"),
    ("tgp_v1_", 40, Token, "api-key"),
    ("csk-", 40, Token, "api-key"),
    ("rpa_", 40, Token, "runpod-key"),
    ("jina_", 50, Token, "api-key"),
    ("e2b_", 40, Token, "api-key"),
    ("fc-", 35, Hex, "api-key"),
    ("tr_prod_", 24, Token, "api-key"),
    ("tr_dev_", 24, Token, "api-key"),
    ("signkey-prod-", 60, Token, "inngest-key"),
    ("cal_live_", 35, Token, "api-key"),
    ("secret-live-", 40, Token, "stytch-key"),
    ("secret-test-", 40, Token, "stytch-key"),
    ("vk1.a.", 80, Token, "vk-token"),
    ("y0_", 50, Token, "yandex-token"),
    ("bce-v3/ALTAK-", 50, Path, "baidu-key"),
    ("EZTK", 50, Token, "easypost-key"),
    ("nbp_", 36, Token, "netbird-token"),
    ("SSWS 00", 45, Token, "okta-token"),
    ("PRIVATE-AAE", 40, Token, "kucoin-key"),
    ("ABIA", 20, Token, "aws-key"),
    ("ACCA", 20, Token, "aws-key"),
    ("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt", 80, Hash, "private-key"),
    ("LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0t", 80, Hash, "private-key"),
    ("LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0t", 80, Hash, "private-key"),
    ("LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ", 80, Hash, "private-key"),
    ("LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBLRVkt", 80, Hash, "private-key"),
    ("$gy$", 40, Hash, "password-hash"),
    ("$S$", 50, Hash, "password-hash"),
    ("$P$", 34, Hash, "password-hash"),
    ("$H$", 34, Hash, "password-hash"),
    ("$wp$2y$", 50, Hash, "password-hash"),
    ("$8$", 50, Hash, "password-hash"),
    ("$9$", 50, Hash, "password-hash"),
    ("{SHA}", 30, Hash, "password-hash"),
    ("{SMD5}", 30, Hash, "password-hash"),
    ("{SSHA256}", 50, Hash, "password-hash"),
    ("{SSHA512}", 90, Hash, "password-hash"),
    ("{CRYPT}", 20, Hash, "password-hash"),
    ("{PBKDF2", 40, Hash, "password-hash"),
    ("{ARGON2", 40, Hash, "password-hash"),
    ("SCRAM-SHA-256$", 80, Hash, "password-hash"),
    ("SCRAM-SHA-1$", 60, Hash, "password-hash"),
    ("AGE-SECRET-KEY-1", 50, Token, "age-key"),
    ("$1$", 25, Hash, "password-hash"),
    ("$2a$", 50, Hash, "password-hash"),
    ("$2b$", 50, Hash, "password-hash"),
    ("$2y$", 50, Hash, "password-hash"),
    ("$5$", 45, Hash, "password-hash"),
    ("$6$", 60, Hash, "password-hash"),
    ("$y$", 40, Hash, "password-hash"),
    ("$7$", 40, Hash, "password-hash"),
    ("$apr1$", 30, Hash, "password-hash"),
    ("$argon2", 50, Hash, "password-hash"),
    ("argon2$", 50, Hash, "password-hash"),
    ("$pbkdf2", 40, Hash, "password-hash"),
    ("pbkdf2_sha", 40, Hash, "password-hash"),
    ("pbkdf2:sha", 40, Hash, "password-hash"),
    ("bcrypt$", 50, Hash, "password-hash"),
    ("bcrypt_sha256$", 50, Hash, "password-hash"),
    ("scrypt:", 50, Hash, "password-hash"),
    ("scrypt$", 50, Hash, "password-hash"),
    ("$scrypt$", 50, Hash, "password-hash"),
    ("{SSHA}", 30, Hash, "password-hash"),
    ("md5$", 36, Hash, "password-hash"),
    ("sha1$", 40, Hash, "password-hash"),
];

/// The forms by their first byte.
static BY_FIRST: LazyLock<Vec<Vec<&Form>>> = LazyLock::new(|| {
    let of = |first: u8| FORMS.iter().filter(|form| form.0.as_bytes().first() == Some(&first)).collect();
    (0..=u8::MAX).map(of).collect()
});

/// Bytes behind a prefix that tell, fast, whether there may be a token.
const SOME: usize = 16;

/// Tells, fast, whether a token may begin here.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    let forms = bytes.first().and_then(|first| BY_FIRST.get(usize::from(*first)));
    let is_one = |(prefix, least, body, _): &Form| {
        let some = least.saturating_sub(prefix.len()).min(SOME);
        let behind = bytes.strip_prefix(prefix.as_bytes()).and_then(|behind| behind.get(..some));
        behind.is_some_and(|behind| behind.iter().all(|byte| body.holds(*byte)))
    };
    forms.is_some_and(|forms| forms.iter().any(|form| is_one(form)))
}

/// Makes up a token of a form.
#[cfg(test)]
pub(super) fn sample((prefix, least, body, _): Form) -> String {
    let length = least - prefix.len();
    let made = match body {
        Three => format!("{}.{}.{}", "a".repeat(22), "a".repeat(6), "a".repeat(length)),
        Uuid => "01234567-89ab-cdef-0123-456789abcdef".into(),
        _ => "a".repeat(length),
    };
    format!("{prefix}{made}")
}

/// Finds the first token of a form: from, to. What one token could consist of is read once, however often its prefix stands in it.
pub(super) fn first_of(text: &str, (prefix, least, body, _): Form) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut from, mut run) = (0, Run::default());
    while let Some(at) = text[from..].find(prefix) {
        let start = from + at;
        from = start + prefix.len();
        if is_inside_word(&text[..start]) {
            continue;
        }
        run = run.at(bytes, from, body);
        let end = run.end;
        let fits = end - start >= least
            && match body {
                Hex => end - start == least && !text[end..].starts_with(|c: char| c.is_alphanumeric()),
                Token => !is_name(&text[from..end], from, &run),
                Three => is_in_three(&text[start..end]),
                Uuid => is_uuid(&text[from..end]),
                Path | Hash => true,
            };
        if fits {
            return Some((start, end));
        }
    }
    None
}

/// What a token could consist of that goes on to a place, and the last byte in it that no plain word has.
#[derive(Default, Clone, Copy)]
struct Run {
    end: usize,
    odd: Option<usize>,
}

impl Run {
    /// Gives the run that goes on at a place.
    fn at(self, bytes: &[u8], from: usize, body: Body) -> Self {
        if from < self.end {
            return self;
        }
        let end = from + bytes[from..].iter().take_while(|byte| body.holds(**byte)).count();
        let is_plain = |byte: &u8| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-' | b'.');
        Self { end, odd: bytes[from..end].iter().rposition(|byte| !is_plain(byte)).map(|at| from + at) }
    }
}

/// Tells whether the body is several words: a long name begins like a token at times (`npm_config_…`).
fn is_name(body: &str, from: usize, run: &Run) -> bool {
    run.odd.is_none_or(|odd| odd < from) && body.split(['_', '-', '.']).nth(2).is_some()
}

/// Tells whether a token has the parts of a Discord bot's: its number, a time, a hash.
fn is_in_three(token: &str) -> bool {
    let parts: Vec<&str> = token.splitn(4, '.').collect();
    matches!(parts[..], [number, time, hash] if (22..=30).contains(&number.len()) && (5..=8).contains(&time.len()) && hash.len() >= 27)
}

/// Tells whether a body begins with a UUID.
fn is_uuid(body: &str) -> bool {
    let is_group = |(part, length): (&str, usize)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    body.get(..36).is_some_and(|body| body.split('-').count() == 5 && body.split('-').zip([8, 4, 4, 4, 12]).all(is_group))
}

impl Body {
    fn holds(self, byte: u8) -> bool {
        match self {
            Hex => byte.is_ascii_hexdigit(),
            Token | Three | Uuid => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Path => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'),
            Hash => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'$' | b',' | b':' | b'%')
            }
        }
    }
}
