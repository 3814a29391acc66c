# What the programs share; each reads it with `.`. Needs BREVO_API_KEY and BREVO_BASE_URL, and curl.
set -eu
key=$BREVO_API_KEY

# Calls the API and leaves the answer in $status and $body: `api METHOD PATH [JSON]`.
api() {
    body=$(curl -sS -X "$1" -H "api-key: $key" -H 'Content-Type: application/json' ${3:+-d "$3"} \
        -w '\n%{http_code}' "$BREVO_BASE_URL$2")
    status=${body##*[!0-9]}
    body=${body%"$status"}
}

# The same; a refusal ends the program.
must() {
    api "$@"
    case $status in 2*) ;; *) refuse ;; esac
}

refuse() {
    echo "error: $status $(text message)" >&2
    exit 1
}

is_refused() { [ "$status" = 400 ] && case $body in *"$1"*) ;; *) return 1 ;; esac }

# The first member of that name in the answer.
text() { printf '%s' "$body" | grep -o "\"$1\": *\"[^\"]*\"" | head -n 1 | sed 's/^"[^"]*": *"//; s/"$//'; }
number() { printf '%s' "$body" | grep -o "\"$1\": *[0-9]*" | head -n 1 | sed 's/.*[: ]//'; }

# The objects of the answer's list, a line each; they must not hold others.
objects() { printf '%s\n' "$body" | grep -o '{[^{}]*}'; }

# Sends a plain e-mail: `send FROM TO SUBJECT TEXT [MORE MEMBERS]`.
send() {
    must POST /smtp/email "{\"sender\":{\"email\":\"$1\"},\"to\":[{\"email\":\"$2\"}],\"subject\":\"$3\",\"textContent\":\"$4\"${5:+,$5}}"
}
