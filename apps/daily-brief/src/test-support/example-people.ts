// As in sql/seed.sql.
export const ada = "ada00000-0000-4000-8000-000000000001";
export const grace = "face0000-0000-4000-8000-000000000002";
export const kateryna = "ca7e0000-0000-4000-8000-000000000003";
