/**
 * Owns the program of a shell that stays: it takes one frame after the other and evaluates each at its top level, so that variables, functions,
 * options, traps and the folder stay, and `declare`, `break` and `exit` mean what they mean in a script. A loop around the evaluation would be
 * left by the code's own `break`, and in a function `declare` would be local: `mapfile` calls back at the top level.
 * How a run ended is told beside the output, with the word that came with the run; while code runs, neither descriptor is open for it.
 * Each run gets the output anew, so that `exec >file` holds for its own run only and silences none after it. Code that changes its own shell can spoil
 * that shell: it has it to itself. One that no longer has what it speaks by ends, which is told.
 */
const TURN = [
  'IFS= builtin read -r -d "" -u 198 __adjutant_id; IFS= builtin read -r -d "" -u 198 __adjutant_a',
  'IFS= builtin read -r -d "" -u 198 __adjutant_a; __adjutant_d=here',
  'if [[ -n $__adjutant_a ]]; then builtin cd -- "$__adjutant_a" || __adjutant_d=; fi',
  'IFS= builtin read -r -d "" -u 198 __adjutant_in; IFS= builtin read -r -d "" -u 198 __adjutant_a',
  'while ((__adjutant_a-- > 0)); do IFS= builtin read -r -d "" -u 198 __adjutant_b; IFS= builtin read -r -d "" -u 198 __adjutant_c; builtin export "$__adjutant_b=$__adjutant_c"; done',
  'IFS= builtin read -r -d "" -u 198 __adjutant_a; __adjutant_c=',
  'if ((__adjutant_a > 0)); then LC_ALL=C IFS= builtin read -r -N "$__adjutant_a" -u 198 __adjutant_c; fi',
  // What `$?` says at the start is how the run before ended. Where a failure ends the shell it cannot have been one.
  'if [[ $- != *e* ]]; then __adjutant_c="__adjutant_status $__adjutant_status; $__adjutant_c"; fi',
  'if [[ -z $__adjutant_d ]]; then __adjutant_c="builtin false"; fi',
  'builtin eval "$__adjutant_c" <"$__adjutant_in" >&196 2>&197 196>&- 197>&- 198<&- 199>&-',
  '__adjutant_status=$?; [[ -p /dev/fd/196 && -p /dev/fd/197 && ( -p /dev/fd/198 || -S /dev/fd/198 ) && ( -p /dev/fd/199 || -S /dev/fd/199 ) ]] || builtin exit 125',
  'builtin printf "%s %s\\0" "$__adjutant_id" "$__adjutant_status" >&199',
].join('\n')

export const SESSION_BASH = [
  'ulimit -c 0 -n 256 -u "$1" -f "$2" -d "$3" || exit 125; set --; exec 196>&1 197>&2',
  '__adjutant_status=0; __adjutant_status() { return "$1"; }',
  `IFS= read -r -d "" __adjutant_turn <<'ADJUTANT'\n${TURN}\nADJUTANT`,
  'mapfile -d "" -c 1 -C \'eval "$__adjutant_turn"; :\' -u 198 __adjutant_turns',
].join('\n')
