/**
 * The path the console is mounted under, with a slash at its end. It is found from where this file was loaded: a base
 * element would need permission by the Content-Security-Policy.
 */
export const basePath = import.meta.env.DEV ? "/" : new URL("../", import.meta.url).pathname;

export const apiBase = `${basePath}api/v1`;
