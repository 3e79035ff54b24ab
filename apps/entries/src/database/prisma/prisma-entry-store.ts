import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import type { EntryPage } from "../../entry.ts";
import type { EntryPageRequest } from "../../entry-page-request.ts";
import {
  type EntryRow,
  type EntryStep,
  type EntryStore,
  type EntryTransaction,
  finishedStatuses,
} from "../entry-store.ts";
import { likeText } from "../like-text.ts";
import { changeTo, entryOf, entryRowOf } from "../stored-entry.ts";
import { type Prisma, PrismaClient } from "./generated/client.ts";

export class PrismaEntryStore implements EntryStore {
  readonly #pool: pg.Pool;
  readonly #prisma: PrismaClient;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.#prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  }

  transaction<Result>(run: (open: EntryTransaction) => Promise<Result>): Promise<Result> {
    return this.#prisma.$transaction((tx) =>
      run({
        tx,
        insert: async (entry) => entryOf(await tx.entry.create({ data: entry })),
        async write(entryId, step) {
          await tx.entry.updateMany({ where: { id: entryId }, data: changeTo(step) });
        },
      }),
    );
  }

  async list({ limit, offset, search }: EntryPageRequest): Promise<EntryPage> {
    const where: Prisma.EntryWhereInput =
      // It is a pattern to Prisma, too.
      search === "" ? {} : { title: { contains: likeText(search), mode: "insensitive" } };
    const [rows, total] = await Promise.all([
      this.#prisma.entry.findMany({
        where,
        orderBy: [{ createdAt: "desc" }, { id: "desc" }],
        take: limit,
        skip: offset,
      }),
      this.#prisma.entry.count({ where }),
    ]);
    return { entries: rows.map(entryOf), total, limit, offset };
  }

  async find(entryId: string): Promise<EntryRow | null> {
    const row = await this.#prisma.entry.findUnique({ where: { id: entryId } });
    return row === null ? null : entryRowOf(row);
  }

  async replace({ id, updatedAt }: EntryRow, step: EntryStep): Promise<boolean> {
    const { count } = await this.#prisma.entry.updateMany({
      where: { id, updatedAt: new Date(updatedAt) },
      data: changeTo(step),
    });
    return count === 1;
  }

  async remove(entryId: string): Promise<boolean> {
    const where = { id: entryId, status: { in: finishedStatuses } };
    return (await this.#prisma.entry.deleteMany({ where })).count === 1;
  }

  async fail(jobId: string, message: string): Promise<void> {
    await this.#prisma.entry.updateMany({
      where: { jobId, status: { notIn: finishedStatuses } },
      data: changeTo({ status: "FAILED", result: message }),
    });
  }

  async unfinishedJobs(): Promise<string[]> {
    const rows = await this.#prisma.entry.findMany({
      where: { status: { notIn: finishedStatuses } },
      select: { jobId: true },
    });
    return rows.map(({ jobId }) => jobId);
  }

  async readCursor(): Promise<string | null> {
    return (await this.#prisma.entryFollower.findFirst())?.cursor ?? null;
  }

  async writeCursor(cursor: string): Promise<void> {
    await this.#prisma.entryFollower.upsert({
      where: { isOnly: true },
      create: { cursor },
      update: { cursor },
    });
  }

  async close(): Promise<void> {
    await this.#prisma.$disconnect();
    await this.#pool.end();
  }
}
