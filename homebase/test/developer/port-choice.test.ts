/** Ports that are moved for a stack beside another one: addresses of the API in the vault follow, others stay. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { moveConfigPorts } from "../../src/developer/port-choice.ts";

test("an address of the project's own API in the vault moves with the port, and no other value does", () => {
  const config = loadConfig({ from: join(import.meta.dirname, "..", "..", "..") });
  expect(config.db.vault.project_url).toBe("http://127.0.0.1:54321");
  Object.assign(config.db.vault, {
    path: "http://localhost:54321/functions/v1",
    longer: "http://127.0.0.1:543210",
    elsewhere: "https://example.org:54321",
    inside: "see http://127.0.0.1:54321",
  });
  moveConfigPorts(config, 100);
  moveConfigPorts(config, 100);
  expect(config.api.port).toBe(54521);
  expect(config.db.vault).toEqual({
    project_url: "http://127.0.0.1:54521",
    path: "http://localhost:54521/functions/v1",
    longer: "http://127.0.0.1:543210",
    elsewhere: "https://example.org:54321",
    inside: "see http://127.0.0.1:54321",
  });
});
