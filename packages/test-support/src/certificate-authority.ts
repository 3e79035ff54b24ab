import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface Subject {
  readonly commonName: string;
  /** The names and addresses that it is for, if it is a server's. */
  readonly hosts?: readonly string[];
}

const dayMs = 86_400_000;

// What a certificate is made of (RFC 5280), in the encoding of ASN.1: a tag, a length, the content.
const tagged = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...parts: Buffer[]) => tagged(0x30, ...parts);
const integer = (bytes: Buffer) => tagged(0x02, bytes);
const bits = (bytes: Buffer) => tagged(0x03, Buffer.from([0]), bytes);
const octets = (bytes: Buffer) => tagged(0x04, bytes);
const identifier = (hex: string) => tagged(0x06, Buffer.from(hex, "hex"));
const text = (value: string) => tagged(0x0c, Buffer.from(value, "utf8"));
const time = (date: Date) => tagged(0x17, Buffer.from(date.toISOString().replace(/^..|\.\d+|[-:T]/g, "")));
const yes = tagged(0x01, Buffer.from([0xff]));

const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"));
const nameOf = (commonName: string) =>
  sequence(tagged(0x31, sequence(identifier("550403"), text(commonName))));
const isAuthority = sequence(identifier("551d13"), yes, octets(sequence(yes)));
const hostName = (host: string) =>
  isIPv4(host) ? tagged(0x87, Buffer.from(host.split(".").map(Number))) : tagged(0x82, Buffer.from(host));
const forHosts = (hosts: readonly string[]) =>
  sequence(identifier("551d11"), octets(sequence(...hosts.map(hostName))));

/** Signs certificates, with nothing but Node: not every machine has openssl. Valid for two days. */
export class CertificateAuthority {
  /** Its own certificate, as PEM: for those who are to trust it. */
  readonly cert: string;
  readonly #name: string;
  readonly #key: KeyObject;

  constructor(name: string) {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#name = name;
    this.#key = privateKey;
    this.cert = this.#certificate(name, publicKey, [isAuthority]);
  }

  issue({ commonName, hosts = [] }: Subject): Certificate {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const extensions = hosts.length === 0 ? [] : [forHosts(hosts)];
    return {
      cert: this.#certificate(commonName, publicKey, extensions),
      key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    };
  }

  #certificate(commonName: string, publicKey: KeyObject, extensions: readonly Buffer[]): string {
    const nowMs = Date.now();
    const content = sequence(
      tagged(0xa0, integer(Buffer.from([2]))),
      // Positive, since its first byte is.
      integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
      ecdsaWithSha256,
      nameOf(this.#name),
      sequence(time(new Date(nowMs - dayMs)), time(new Date(nowMs + dayMs))),
      nameOf(commonName),
      publicKey.export({ type: "spki", format: "der" }),
      ...(extensions.length === 0 ? [] : [tagged(0xa3, sequence(...extensions))]),
    );
    const signed = sequence(content, ecdsaWithSha256, bits(sign("sha256", content, this.#key)));
    const lines = signed.toString("base64").match(/.{1,64}/g) ?? [];
    return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
  }
}
