#!/usr/bin/env bash
# Starts the server and waits until it is ready; main.js gives the inputs as variables of these names.
# Writes `url`, `tls-url`, `program` and `pid` or `container`, a line each, to $HOME_OF_SERVER/started.
# Empty arrays are written as bash 3.2 takes them, which macOS has.
# shellcheck disable=SC2153 # the names in capitals are those of the inputs
set -euo pipefail

home=$HOME_OF_SERVER
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

fail() {
  printf '%s\n' "$1" >"$home/failure"
  exit 1
}

# An environment with nothing but the server; uv makes it faster, where it is there.
install() {
  local source="${root}[server]" pins=(--constraint "$root/.ci/constraints.txt")
  if [ -n "$VERSION" ]; then
    source="brevo-mockserver[server]==$VERSION"
    pins=()
  fi
  if command -v uv >/dev/null; then
    uv venv --quiet --python "$PYTHON" "$home/environment" &&
      uv pip install --quiet --python "$home/environment" ${pins[@]+"${pins[@]}"} "$source"
  else
    "$PYTHON" -m venv "$home/environment" &&
      "$home/environment/bin/pip" install --quiet --disable-pip-version-check ${pins[@]+"${pins[@]}"} "$source"
  fi
}

start_program() {
  local program=$PROGRAM pid url lines=1
  if [ -z "$program" ]; then
    install || fail 'the server cannot be installed; the reason stands above'
    program=$home/environment/bin/mockserver
  fi
  command -v "$program" >/dev/null || fail "there is no program $program"
  [ -z "$SCENARIO" ] || export MOCKSERVER_SCENARIO=$SCENARIO
  [ -z "$SCENARIOS" ] || export MOCKSERVER_SCENARIOS=$SCENARIOS
  [ "$TLS" = false ] || { lines=2 && arguments+=(--tls --tls-port 0); }
  : >"$home/address" # the program may take a moment to open it
  "$program" serve --host 127.0.0.1 --port "$PORT" ${arguments[@]+"${arguments[@]}"} </dev/null >"$home/address" 2>"$home/log" &
  pid=$!
  printf 'pid=%s\nprogram=%s\n' "$pid" "$program" >"$home/started"
  until [ "$(wc -l <"$home/address")" -ge "$lines" ]; do
    kill -0 "$pid" 2>/dev/null || fail 'the server has ended:'
    [ "$SECONDS" -lt "$deadline" ] || fail "the server has no address after $TIMEOUT s"
    sleep 0.1
  done
  url=$(head -n 1 "$home/address")
  "$program" wait --url "$url" --timeout "$TIMEOUT" >/dev/null || fail "the server was not ready within $TIMEOUT s"
  printf 'url=%s\n' "$url" >>"$home/started"
  [ "$TLS" = false ] || printf 'tls-url=%s\n' "$(sed -n 2p "$home/address")" >>"$home/started"
}

start_container() {
  local container options=() name published
  command -v docker >/dev/null || fail 'there is no docker to start the image with'
  # Settings of the job are those of the server, as they are where it runs without a container.
  for name in $(compgen -e MOCKSERVER_); do
    case $name in
      MOCKSERVER_URL | MOCKSERVER_TOKEN | MOCKSERVER_WORKSPACE | MOCKSERVER_IMAGE) ;; # of clients
      MOCKSERVER_HOST | MOCKSERVER_PORT | MOCKSERVER_SCENARIOS) ;;                    # of this machine
      *) options+=(--env "$name") ;;
    esac
  done
  [ -z "$SCENARIOS" ] || options+=(--volume "$(realpath "$SCENARIOS"):/scenarios:ro")
  case $SCENARIO in
    '') ;;
    *.yaml | *.yml)
      options+=(--volume "$(realpath "$SCENARIO"):/scenario.yaml:ro" --env MOCKSERVER_SCENARIO=/scenario.yaml)
      ;;
    *) options+=(--env "MOCKSERVER_SCENARIO=$SCENARIO") ;;
  esac
  [ "$TLS" = false ] || { options+=(--publish 127.0.0.1::8443) && arguments+=(--tls --tls-port 8443); }
  container=$(docker run --detach --read-only --cap-drop ALL --security-opt no-new-privileges \
    --add-host host.docker.internal:host-gateway \
    --publish "127.0.0.1:${PORT#0}:8003" ${options[@]+"${options[@]}"} "$IMAGE" serve ${arguments[@]+"${arguments[@]}"} 2>"$home/log") ||
    fail 'the container does not start:'
  printf 'container=%s\nprogram=mockserver\n' "$container" >"$home/started"
  # The health check of the image, in a loop: the engine itself would ask for the first time after seconds.
  until docker exec "$container" mockserver health >/dev/null 2>&1; do
    docker logs "$container" >"$home/log" 2>&1 || true
    [ "$(docker inspect --format '{{.State.Running}}' "$container")" = true ] || fail 'the server has ended:'
    [ "$SECONDS" -lt "$deadline" ] || fail "the server was not ready within $TIMEOUT s"
    sleep 0.1
  done
  published=$(docker port "$container" 8003/tcp | head -n 1)
  printf 'url=http://%s\n' "$published" >>"$home/started"
  [ "$TLS" = false ] || printf 'tls-url=https://%s\n' "$(docker port "$container" 8443/tcp | head -n 1)" >>"$home/started"
}

[ "${RUNNER_OS:-Linux}" != Windows ] || fail 'the action runs on Linux and macOS'
[[ $TIMEOUT =~ ^[0-9]{1,6}$ ]] || fail "timeout is a whole number of seconds, not $TIMEOUT"
[[ $PORT =~ ^[0-9]{1,5}$ ]] || fail "port is a number, not $PORT"
[[ $TLS =~ ^(true|false)$ ]] || fail "tls is true or false, not $TLS"
deadline=$((SECONDS + TIMEOUT))
read -r -d '' -a arguments <<<"$ARGUMENTS" || true
[ -z "$TOKEN" ] || export MOCKSERVER_CONTROL_TOKEN=$TOKEN

if [ -n "$IMAGE" ]; then start_container; else start_program; fi
