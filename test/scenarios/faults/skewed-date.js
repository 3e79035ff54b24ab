// Plain JavaScript, because threads load it too, before any loader that reads TypeScript.
const hourMs = 3_600_000;
const Real = Date;
const skew = new URL(import.meta.url).searchParams.get("skew");
const beganMs = Real.now();

function wrongMs() {
  const nowMs = Real.now();
  if (skew === "frozen") return beganMs;
  if (skew === "ahead") return nowMs + hourMs;
  if (skew === "behind") return nowMs - hourMs;
  return nowMs + (Math.floor(nowMs / 1_000) % 2 === 0 ? 24 : -24) * hourMs;
}

globalThis.Date = new Proxy(Real, {
  construct: (target, given) =>
    given.length === 0 ? new target(wrongMs()) : Reflect.construct(target, given),
  apply: () => new Real(wrongMs()).toString(),
  get: (target, key) => (key === "now" ? wrongMs : Reflect.get(target, key)),
});
