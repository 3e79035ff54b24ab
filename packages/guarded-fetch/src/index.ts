export { AddressGuard } from "./address-guard.ts";
export { FetchError, type FetchErrorKind } from "./fetch-error.ts";
export { defaultFetchLimits, type Fetched, type FetchLimits, GuardedFetch } from "./guarded-fetch.ts";
export { retryAfterMs } from "./retry-after-ms.ts";
