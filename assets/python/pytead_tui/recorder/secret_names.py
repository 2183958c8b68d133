"""The words that make a name secret. `src/base/names.rs` reads the same tables out of this text.

A name is split into words; one of them counts, or two beside each other that stand here with a hyphen (`api_key`, `apikey`).
"""

from pytead_tui.recorder.own import __builtins__

NAMES = """
    password passwd pwd passphrase passcode pin-code secret secrets api-key authorization credential credentials bearer jwt
    private-key access-key encryption-key decryption-key signing-key master-key account-key secret-key auth-key hmac-key
    csrf csrf-token xsrf xsrf-token otp totp cvv cvc ssn iban session-id sessid phpsessid jsessionid auth-token access-token
    refresh-token csrfmiddlewaretoken psk github-pat gitlab-pat
    db-pass smtp-pass mail-pass email-pass imap-pass user-pass ssh-pass ftp-pass mysql-pass pg-pass postgres-pass redis-pass mongo-pass
    admin-pass root-pass login-pass proxy-pass ldap-pass vault-pass become-pass sudo-pass store-pass key-pass db-pw user-pw
    storepass keypass passin passout requirepass masterauth preshared-key code-verifier client-assertion
    pw recovery-code backup-code seed-phrase
    passwort kennwort mot-de motdepasse mdp contraseña contrasena senha wachtwoord hasło haslo lösenord losenord heslo
    salasana adgangskode jelszó jelszo şifre sifre пароль 密码 密碼 口令 パスワード 비밀번호
"""

# A longer word that ends with one of these is secret, too: `PGPASSWORD`, `clientsecret`.
ENDS = "password passwd passphrase passcode secret apikey authtoken accesstoken"

AMBIGUOUS = "token cookie"

# Names of proofs, or of what programs say of functions and signals: what looks random alone is secret.
PROOFS = "signature sig"

# Beside one of the first keys, one of the second holds the answer to a challenge, if it looks random: HTTP's digest.
CHALLENGE_KEYS = "nonce"
ANSWER_KEYS = "response"

# Words whose plural says what somebody may do, and not several secrets.
NO_PLURAL = "secrets credentials authorization bearer csrf xsrf"

# So do they use these; and variables of the environment are called so that say nothing secret (`SSH_AUTH_SOCK`).
OBJECTS = "session auth"

# With one of these words at its end a name is about a secret, and holds none (`token_type`, `password_min_length`).
ABOUT = """
    type types name names url uri urls endpoint path paths file files dir folder env field fields length len size age
    timeout expires expiry expiration expire ttl lifetime count counts limit limits min max minimum maximum policy rules
    validators label labels class classes model models backend backends domain samesite algorithm alg scheme schemes
    required enabled disabled verified valid invalid format pattern regex prefix suffix strength attempts retries
    manager factory generator parser validator checker handler hasher hashers context at exempt
"""

# Keys of what holds a name and its value side by side: `{"name": "DB_PASSWORD", "value": x}`. What stands before one of
# these words, as in `header_name`, stands before both.
NAME_KEYS = "name key id header field variable var parameter param setting option attribute property env k type kind label column"
VALUE_KEYS = "value val v content default data initial answer plaintext"

# A name that ends with this word may be that of a test which passed: what looks random is secret, or stands beside who logs in.
PERHAPS = "pass"
USER_KEYS = "user username login email account uid"

# Values that say what they are, or that they are made up: nobody keeps a secret by them.
MADE_UP = "password passwd secret token test testing example dummy changeme"
