interface ErrorClass {
  readonly prototype: Error;
}

/**
 * Makes `instanceof` know the errors of every copy of a class: two copies of a package, of one release or two, may be loaded in one
 * process, and what one of them throws is caught with the class of the other. The mark is inherited, as the class is. A class that
 * somebody derives knows only its own errors, as usual.
 */
export function brandError(type: ErrorClass, name: string): void {
  // By a given name: those of classes are changed when an application is bundled.
  const mark = Symbol.for(`lockstep.${name}`);
  Object.defineProperty(type.prototype, mark, { value: true });
  // What a stack begins with.
  Object.defineProperty(type, "name", { value: name });
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, thrown: unknown): boolean {
      if (this !== type) return Function.prototype[Symbol.hasInstance].call(this, thrown);
      return typeof thrown === "object" && thrown !== null && mark in thrown;
    },
  });
}
