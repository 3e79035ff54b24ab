import { FetchError } from "./fetch-error.ts";

// A server with an invalid certificate will not have a better one in two minutes.
const certificateCodes =
  /^(CERT_|ERR_TLS_CERT|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** What came between, as a sentence about the host. Ours pass as they are. */
export function networkErrorOf(error: unknown, url: URL, timedOutMs: number | null): FetchError {
  if (error instanceof FetchError) return error;
  if (timedOutMs !== null) {
    return new FetchError("timeout", `${url.host} was not read to the end within ${timedOutMs} ms.`, {
      isFinal: false,
      cause: error,
    });
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof code === "string" ? code : String(message);
  if (text === "UND_ERR_HEADERS_OVERFLOW") {
    return new FetchError("headers", `${url.host} answers with too many headers.`, { cause: error });
  }
  if (certificateCodes.test(text)) {
    return new FetchError("certificate", `The certificate of ${url.host} is not valid (${text}).`, {
      cause: error,
    });
  }
  const isTimeout = /TIMEOUT|ETIMEDOUT/.test(text);
  return new FetchError(
    isTimeout ? "timeout" : "network",
    isTimeout ? `${url.host} did not answer in time.` : `${url.host} could not be read (${text}).`,
    { isFinal: false, cause: error },
  );
}
