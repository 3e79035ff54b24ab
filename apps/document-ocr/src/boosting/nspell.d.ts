declare module "nspell" {
  export default function nspell(aff: Uint8Array, dic: Uint8Array): { correct(word: string): boolean };
}
