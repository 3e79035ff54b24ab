import { type TransactionClient, testTransactions } from "@lockstep/test-support";
import { PrismaPg } from "@prisma/adapter-pg";
import { getPrismaClient, type RuntimeDataModel } from "@prisma/client/runtime/client";

interface PrismaTransaction {
  $executeRawUnsafe(text: string): Promise<number>;
}

interface Prisma {
  $transaction<Result>(run: (tx: PrismaTransaction) => Promise<Result>): Promise<Result>;
  $disconnect(): Promise<void>;
}

// Files without types, and a global that Node's types know only in part.
const compiler = "@prisma/client/runtime/query_compiler_fast_bg.postgresql";
const wasmModule: new (bytes: Buffer) => object = Reflect.get(globalThis, "WebAssembly").Module;

// What `prisma generate` writes for a schema without models. Raw statements are all that is tried here, and so the
// generator with its 300 MB is not needed.
const PrismaClient = getPrismaClient({
  previewFeatures: [],
  clientVersion: "7.10.0",
  engineVersion: "none",
  activeProvider: "postgresql",
  inlineSchema: 'datasource db {\n  provider = "postgresql"\n}\n',
  runtimeDataModel: { models: {}, enums: {}, types: {} } as RuntimeDataModel,
  parameterizationSchema: { strings: [], graph: "AAAA" },
  compilerWasm: {
    getRuntime: () => import(`${compiler}.mjs`),
    async getQueryCompilerWasmModule() {
      const { wasm } = await import(`${compiler}.wasm-base64.mjs`);
      return new wasmModule(Buffer.from(wasm, "base64"));
    },
    importName: "./query_compiler_fast_bg.js",
  },
}) as unknown as new (options: {
  adapter: PrismaPg;
}) => Prisma;

testTransactions("Prisma", async (url): Promise<TransactionClient> => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  return {
    transaction: (run) => prisma.$transaction(run),
    write: (tx, text) => (tx as PrismaTransaction).$executeRawUnsafe(text),
    mistaken: { "the PrismaClient": prisma },
    end: () => prisma.$disconnect(),
  };
});
