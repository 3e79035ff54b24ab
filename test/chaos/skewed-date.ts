export type Skew = "ahead" | "behind" | "frozen" | "jumping";
export const skews: readonly (Skew | null)[] = [null, "ahead", "behind", "frozen", "jumping", null];

const hourMs = 3_600_000;

/** Makes this process's wall clock wrong. Nothing may depend on it: who holds a job is for PostgreSQL's clock to say. */
export function skewDate(skew: Skew): void {
  const Real = Date;
  const beganMs = Real.now();
  const wrongMs = () => {
    const nowMs = Real.now();
    if (skew === "frozen") return beganMs;
    if (skew === "ahead") return nowMs + hourMs;
    if (skew === "behind") return nowMs - hourMs;
    return nowMs + (Math.floor(nowMs / 1_000) % 2 === 0 ? 24 : -24) * hourMs;
  };
  globalThis.Date = new Proxy(Real, {
    construct: (target, given) =>
      given.length === 0 ? new target(wrongMs()) : Reflect.construct(target, given),
    apply: () => new Real(wrongMs()).toString(),
    get: (target, key) => (key === "now" ? wrongMs : Reflect.get(target, key)),
  });
}
