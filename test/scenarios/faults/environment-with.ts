/** The environment of a program in which these modules are loaded before all others: in its threads too, which inherit no arguments. */
export function environmentWith(imports: readonly string[]): NodeJS.ProcessEnv {
  return imports.length === 0 ? {} : { NODE_OPTIONS: imports.join(" ") };
}
