/**
 * Whether the last words of a process say that it was refused memory. The kernel refuses what is beyond the limit, and
 * whichever part asked for it (V8, C++, WebAssembly, libuv) then fails with its own message.
 */
export function saysOutOfMemory(words: string): boolean {
  return /out of memory|\bOOM\b|allocation failed|bad_alloc|could not allocate|enlarge memory|ENOMEM/i.test(
    words,
  );
}
