export { type Environment, EnvironmentError, readEnvironment } from "./read-environment.ts";
export {
  databaseUrl,
  list,
  oneOf,
  orNull,
  port,
  secret,
  text,
  timeoutMs,
  webAddress,
  wholeNumber,
  workPlace,
} from "./variables.ts";
