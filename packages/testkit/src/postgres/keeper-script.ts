/**
 * Owns the shell that stands between a test and its PostgreSQL. The server is its child, the test holds its standard input: when the
 * test ends in whichever way, the input ends, and server and folder go. A server that the test started itself would outlive it.
 *
 * Arguments: folder of the programs, folder of the cluster, then settings of the server. It answers each line with one line.
 * `init` | `start PORT` | `fast` | `immediate` | `stop`; the answer is `ok` or `failed`. The log is the file `log` of the folder.
 */
export const KEEPER_SCRIPT = `
bin=$1; top=$2; shift 2
data=$top/data
server=
halt() {
  [ -n "$server" ] || return 0
  kill -"$1" "$server" 2>/dev/null
  wait "$server" 2>/dev/null
  server=
}
leave() { halt QUIT; rm -rf "$top"; exit; }
trap leave INT TERM HUP
# The test may be gone when an answer is written.
trap '' PIPE
ready() {
  { read -r pid; read -r a; read -r a; read -r a; read -r a; read -r a; read -r a; read -r state; } 2>/dev/null <"$data/postmaster.pid" &&
    [ "$pid" = "$server" ] && [ "$state" = ready ]
}
start() {
  "$bin/postgres" -D "$data" -k "$top" -p "$port" "$@" </dev/null >>"$top/log" 2>&1 &
  server=$!
  turns=3000
  until ready; do
    turns=$((turns - 1))
    if [ $turns = 0 ] || ! kill -0 "$server" 2>/dev/null; then halt QUIT; return 1; fi
    sleep 0.02
  done
}
# While the server was down an outgoing connection of somebody may have got its port.
again() {
  tries=20
  until start "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.25
  done
}
answer() { if [ "$1" = 0 ]; then echo ok; else echo failed; fi; }
while read -r word value; do
  case $word in
    init)
      "$bin/initdb" -D "$data" -U "$value" -E UTF8 --locale=C -A scram-sha-256 --pwfile="$top/password" --no-sync --no-instructions \\
        </dev/null >>"$top/log" 2>&1
      answer $? ;;
    start) port=$value; start "$@"; answer $? ;;
    fast) halt INT; again "$@"; answer $? ;;
    immediate) halt QUIT; again "$@"; answer $? ;;
    stop) break ;;
  esac
done
leave
`
