/**
 * Owns the program that waits in a box for bash code and runs it once. The limits are set in here and not before: the box's own user namespace
 * makes the number of processes count for this box alone. `read -N` takes what is there at once, where reading to a mark takes byte by byte.
 */
export const ONCE_BASH = [
  'exec 199>&-; ulimit -c 0 -n 256 -u "$1" -f "$2" -d "$3" || exit 125; set --',
  'IFS= read -r -d "" -u 198 __a || exit 125; IFS= read -r -d "" -u 198 __a; IFS= read -r -d "" -u 198 __a',
  'if [[ -n $__a ]]; then ulimit -S -t "$__a" && ulimit -H -t "$((__a + 1))" || exit 125; fi',
  'IFS= read -r -d "" -u 198 __a; if [[ -n $__a ]]; then cd -- "$__a" || exit 1; fi',
  'IFS= read -r -d "" -u 198 __a; exec <"$__a"; IFS= read -r -d "" -u 198 __a',
  'while ((__a-- > 0)); do IFS= read -r -d "" -u 198 __b; IFS= read -r -d "" -u 198 __c; export "$__b=$__c"; done',
  'IFS= read -r -d "" -u 198 __a; __c=; ((__a == 0)) || LC_ALL=C IFS= read -r -N "$__a" -u 198 __c; exec 198<&-',
  // Expanded before it is evaluated: the code finds none of our variables.
  'eval "unset -v __a __b __c; $__c"',
].join('\n')
