/** How many streams may be open: of one user, and in all. */
export class StreamPlaces {
  readonly #perUser: number;
  readonly #inAll: number;
  readonly #byUser = new Map<string, number>();
  #taken = 0;

  constructor({ perUser, inAll }: { readonly perUser: number; readonly inAll: number }) {
    this.#perUser = perUser;
    this.#inAll = inAll;
  }

  /** Gives the place back when called; once is enough, and more does no harm. */
  take(user: string): (() => void) | "user has enough" | "all are taken" {
    const ofUser = this.#byUser.get(user) ?? 0;
    if (this.#taken >= this.#inAll) return "all are taken";
    if (ofUser >= this.#perUser) return "user has enough";
    this.#taken += 1;
    this.#byUser.set(user, ofUser + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#taken -= 1;
      const left = (this.#byUser.get(user) ?? 1) - 1;
      if (left === 0) this.#byUser.delete(user);
      else this.#byUser.set(user, left);
    };
  }
}
