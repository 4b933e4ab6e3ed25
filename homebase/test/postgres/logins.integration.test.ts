/**
 * Who may log in to a cluster, and how: the superuser by the socket only and with this cluster's password, and
 * nobody takes a base backup. Also the list of the stack's own sessions.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REPLICATION_ROLE, SUPERUSER, socketPassword } from "../../src/postgres/cluster/access.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { ensureBase } from "../../src/postgres/cluster/template.ts";
import { vaultKeyPath } from "../../src/postgres/cluster/vault-key.ts";
import { testBackends } from "../../src/testing/own-backends.ts";
