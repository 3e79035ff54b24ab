/** A part that is set after those who use it were made, because it needs them as well. */
export class Later<Value> {
  #value: Value | null = null;

  get value(): Value {
    if (this.#value === null) throw new Error("This part is used before it is there.");
    return this.#value;
  }

  is(value: Value): void {
    this.#value = value;
  }
}
