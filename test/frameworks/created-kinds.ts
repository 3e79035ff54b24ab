/** A project as people have it before there are jobs, and their routes that use what is added. */
export interface CreatedKind {
  readonly name: string;
  /** What `npm create lockstep` takes it for. */
  readonly is: "next" | "nest" | "express" | "fastify";
  readonly files: Record<string, string>;
}

const strict = { target: "es2023", module: "nodenext", types: ["node"], strict: true, skipLibCheck: true };
const decorated = { experimentalDecorators: true, emitDecoratorMetadata: true };

/** Without "type" it is CommonJS. */
const manifest = (dependency: string, start: string, type?: "module") =>
  JSON.stringify({ name: "shop", type, scripts: { start }, dependencies: { [dependency]: "*" } });

const next: CreatedKind = {
  name: "next",
  is: "next",
  files: {
    "package.json": manifest("next", "next dev --hostname 127.0.0.1"),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...strict,
        lib: ["es2023", "dom"],
        module: "esnext",
        moduleResolution: "bundler",
        jsx: "react-jsx",
        noEmit: true,
        esModuleInterop: true,
        resolveJsonModule: true,
        isolatedModules: true,
        allowJs: true,
        incremental: true,
        plugins: [{ name: "next" }],
      },
      include: ["**/*.ts", "**/*.tsx"],
      exclude: ["node_modules"],
    }),
    "app/layout.tsx": `export default function Layout({ children }: { children: React.ReactNode }) {
        return <html lang="en"><body>{children}</body></html>;
      }`,
    "app/greetings/route.ts": `import { jobs } from "../../jobs";
      import { greeting } from "../../pipelines";
      export async function POST(request: Request) {
        const { name } = await request.json();
        return Response.json(await (await jobs()).add(greeting, { name }));
      }`,
    "app/greetings/[id]/route.ts": `import { jobs } from "../../../jobs";
      export async function GET(_request: Request, { params }: { params: Promise<{ id: string }> }) {
        return Response.json(await (await jobs()).get((await params).id));
      }`,
  },
};

/** As `nest new` writes it, but for the program that builds. */
const nest = (name: string, ending: "" | ".js", type?: "module"): CreatedKind => ({
  name,
  is: "nest",
  files: {
    "package.json": manifest("@nestjs/core", "node dist/main.js", type),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { ...strict, ...decorated, rootDir: "src", outDir: "dist" },
      include: ["src"],
    }),
    "src/greetings.controller.ts": `import { Body, Controller, Get, Param, Post } from "@nestjs/common";
      import { jobs } from "./jobs${ending}";
      import { greeting } from "./pipelines${ending}";
      @Controller("greetings")
      export class GreetingsController {
        @Post()
        async add(@Body() { name }: { name: string }) {
          return await (await jobs()).add(greeting, { name });
        }
        @Get(":id")
        async read(@Param("id") id: string) {
          return await (await jobs()).get(id);
        }
      }`,
    "src/main.ts": `import "reflect-metadata";
      import { Module } from "@nestjs/common";
      import { NestFactory } from "@nestjs/core";
      import { GreetingsController } from "./greetings.controller${ending}";
      @Module({ controllers: [GreetingsController] })
      class AppModule {}
      async function main() {
        const app = await NestFactory.create(AppModule);
        await app.listen(Number(process.env.PORT), "127.0.0.1");
      }
      void main();`,
  },
});

const express: CreatedKind = {
  name: "express",
  is: "express",
  files: {
    "package.json": manifest("express", "node --import tsx server.ts", "module"),
    "tsconfig.json": JSON.stringify({ compilerOptions: { ...strict, noEmit: true } }),
    "server.ts": `import express from "express";
      import { jobs } from "./jobs.js";
      import { greeting } from "./pipelines.js";
      const app = express();
      app.use(express.json());
      app.post("/greetings", async (request, response) => {
        response.json(await (await jobs()).add(greeting, { name: request.body.name }));
      });
      app.get("/greetings/:id", async (request, response) => {
        response.json(await (await jobs()).get(request.params.id));
      });
      app.listen(Number(process.env.PORT), "127.0.0.1");`,
  },
};

const fastify: CreatedKind = {
  name: "fastify",
  is: "fastify",
  files: {
    "package.json": manifest("fastify", "node --import tsx src/server.ts"),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { ...strict, esModuleInterop: true, noEmit: true },
      include: ["src"],
    }),
    "src/server.ts": `import fastify from "fastify";
      import { jobs } from "./jobs.js";
      import { greeting } from "./pipelines.js";
      const app = fastify();
      app.post<{ Body: { name: string } }>("/greetings", async ({ body: { name } }) =>
        (await jobs()).add(greeting, { name }));
      app.get<{ Params: { id: string } }>("/greetings/:id", async ({ params }) => (await jobs()).get(params.id));
      void app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });`,
  },
};

export const createdKinds = [
  next,
  nest("nest", ".js", "module"),
  nest("nest-commonjs", ""),
  express,
  fastify,
];
