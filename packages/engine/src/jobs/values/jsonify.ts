declare const notJson: unique symbol;

/** Stands for a value that JSON cannot represent; storing it is refused. */
export interface NotJson<What extends string> {
  readonly [notJson]: What;
}

type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

type Unstored = ((...given: never) => unknown) | symbol;

/**
 * What a value is after it was stored as JSON and read again: a Date is a text, a property that is a function is gone. What
 * JSON carries as it is stays the type that it was.
 */
export type Jsonify<Value> = unknown extends Value ? Value : JsonifyEach<Value>;

/** The same for what a handler returns: nothing is stored as null. */
export type Stored<Value> = unknown extends Value ? Value : Value extends void ? null : JsonifyEach<Value>;

type JsonifyEach<Value> = Value extends JsonValue
  ? Value
  : Value extends undefined
    ? undefined
    : Value extends { toJSON(key: string): infer Json }
      ? Jsonify<Json>
      : Value extends bigint
        ? NotJson<"a BigInt">
        : Value extends Unstored
          ? NotJson<"a function or a symbol">
          : Value extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | Promise<unknown>
            ? NotJson<"a Map, a Set or a Promise">
            : Value extends readonly unknown[]
              ? { [Index in keyof Value]: JsonifyItem<Value[Index]> }
              : Value extends object
                ? { [Key in keyof Value as StoredKey<Value, Key>]: Jsonify<Value[Key]> }
                : Value;

type JsonifyItem<Item> = unknown extends Item
  ? Item
  : Item extends undefined | Unstored
    ? null
    : JsonifyEach<Item>;

type StoredKey<Value, Key extends keyof Value> = Key extends symbol
  ? never
  : Value[Key] extends Unstored
    ? never
    : Key;

/** Nothing to add where JSON brings an input back as an input; otherwise what no schema has, so that it does not compile. */
export type CarriedByJson<Input> = [Jsonify<Input>] extends [Input]
  ? unknown
  : {
      readonly "The payload is stored as JSON, which does not bring this schema's input back: use z.coerce.date() or z.iso.datetime() for a Date": never;
    };
