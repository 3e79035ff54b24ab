create schema if not exists document_ocr;

-- Documents and results by the hash of their bytes: the same bytes are stored once, whatever their names.
create table if not exists document_ocr.files (
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes > 0),
  used_at timestamptz not null default now()
);
create index if not exists files_by_last_use on document_ocr.files (used_at);

-- In pieces, so that nobody holds a whole file in memory.
create table if not exists document_ocr.file_pieces (
  sha256 text not null references document_ocr.files on delete cascade,
  piece integer not null check (piece >= 0),
  bytes bytea not null,
  primary key (sha256, piece)
);
-- PDFs are compressed already.
alter table document_ocr.file_pieces alter column bytes set storage external;

-- The pages of a document as read under certain settings: a later try continues at the first missing page.
create table if not exists document_ocr.pages (
  sha256 text not null references document_ocr.files on delete cascade,
  reading text not null,
  page integer not null check (page >= 1),
  -- Not jsonb, which refuses the zero byte that some PDFs hold in their text.
  content json not null,
  job_id uuid not null,
  read_by text not null,
  read_at timestamptz not null default now(),
  primary key (sha256, reading, page)
);

-- Jobs that are no longer shown on the page. Lockstep keeps a job as long as its retention says.
create table if not exists document_ocr.deleted_documents (
  job_id uuid primary key,
  deleted_at timestamptz not null default now()
);
