/** Owns the calls about a project's branches, and about pausing it. */
import { recordOf } from "../../../src/core/record.ts";
import { jsonResponse, type ServiceResponse } from "../../../src/http/exchange.ts";
import type { Branch } from "../branch-projects.ts";
import type { Call, CallEntry, CallInput } from "./call.ts";

const REF = "/v1/projects/{ref}";
const ONE = "/v1/branches/{branch_id_or_ref}";
const NOT_FOUND = { message: "Branch not found" };

export const BRANCHES: readonly CallEntry[] = [
  ["GET", `${REF}/branches`, ({ branches }) => jsonResponse(200, branches.list().map(described))],
  ["POST", `${REF}/branches`, create],
  [
    "GET",
    `${REF}/branches/{name}`,
    ({ branches, values: { name } }) => {
      const found = branches.list().find((one) => one.name === name);
      return found ? jsonResponse(200, described(found)) : jsonResponse(404, NOT_FOUND);
    },
  ],
  ["GET", ONE, onBranch(({ project }) => jsonResponse(200, connectionOf(project)))],
  ["PATCH", ONE, onBranch(change)],
  [
    "DELETE",
    ONE,
    onBranch(async (branch, { branches }) => {
      await branches.remove(branch);
      return jsonResponse(200, { message: "ok" });
    }),
  ],
  [
    "POST",
    `${ONE}/merge`,
    onBranch((branch, { branches, signal }) => ran(branch, branches.merge(branch, signal))),
  ],
  [
    "POST",
    `${ONE}/push`,
    onBranch((branch, { branches, signal }) => ran(branch, branches.push(branch, signal))),
  ],
  [
    "POST",
    `${ONE}/reset`,
    onBranch((branch, { branches, signal, json }) => {
      const given = json();
      const { migration_version } = recordOf(given);
      const until = typeof migration_version === "string" ? migration_version : undefined;
      return ran(branch, branches.reset(branch, signal, until));
    }),
  ],
  [
    "POST",
    `${REF}/pause`,
    async ({ project }) => {
      if (project.paused) return jsonResponse(400, { message: "The project is already paused." });
      await project.pause();
      return jsonResponse(200, null);
    },
  ],
  [
    "POST",
    `${REF}/restore`,
    async ({ project }) => {
      if (!project.paused)
        return jsonResponse(400, {
          message: "This project is no longer in a paused state, it is ACTIVE_HEALTHY",
        });
      await project.resume();
      return jsonResponse(200, null);
    },
  ],
  [
    "POST",
    `${REF}/restart`,
    async ({ project }) => {
      await project.restart();
      return jsonResponse(200, null);
    },
  ],
];

async function create({ project, branches, json, signal }: CallInput): Promise<ServiceResponse> {
  const given = json();
  const { branch_name: name, git_branch, persistent, with_data } = recordOf(given);
  if (typeof name !== "string" || name === "")
    return jsonResponse(400, { message: "branch_name is missing." });
  if (project !== branches.parent)
    return jsonResponse(400, { message: "A branch is made of a project, not of another branch." });
  if (with_data === true)
    return jsonResponse(501, {
      message: "A branch with data begins with a backup, and this stand-in for hosted has none.",
    });
  const gitBranch = typeof git_branch === "string" ? git_branch : undefined;
  const branch = await branches.create({ name, gitBranch, persistent: persistent === true }, signal);
  return jsonResponse(201, described(branch));
}

function change(branch: Branch, { json }: CallInput): ServiceResponse {
  const given = json();
  const { branch_name, git_branch, persistent } = recordOf(given);
  if (typeof branch_name === "string" && branch_name !== "") branch.name = branch_name;
  if (typeof git_branch === "string") branch.gitBranch = git_branch;
  if (typeof persistent === "boolean") branch.persistent = persistent;
  branch.updatedAt = new Date().toISOString();
  return jsonResponse(200, described(branch));
}

function onBranch(
  work: (branch: Branch, input: CallInput) => ServiceResponse | Promise<ServiceResponse>,
): Call {
  return (input) => {
    const found = input.branches.find(input.values.branch_id_or_ref);
    return found ? work(found, input) : jsonResponse(404, NOT_FOUND);
  };
}

/** The work is done when hosted would only have begun it; its run is named by the branch. */
async function ran({ id }: Branch, work: Promise<void>): Promise<ServiceResponse> {
  await work;
  return jsonResponse(201, { workflow_run_id: id, message: "ok" });
}

function described({
  id,
  name,
  project,
  gitBranch,
  persistent,
  status,
  ...branch
}: Branch): Record<string, unknown> {
  return {
    id,
    name,
    project_ref: project.ref,
    parent_project_ref: branch.parentRef,
    is_default: false,
    ...(gitBranch === undefined ? {} : { git_branch: gitBranch }),
    persistent,
    status,
    created_at: branch.createdAt,
    updated_at: branch.updatedAt,
    with_data: false,
    preview_project_status: project.status,
  };
}

function connectionOf(project: Branch["project"]): Record<string, unknown> {
  const { host, port } = project.databaseAddress;
  return {
    ref: project.ref,
    postgres_version: "17.10",
    postgres_engine: "17",
    release_channel: "ga",
    status: project.status,
    db_host: host,
    db_port: port,
    db_user: "postgres",
    db_pass: "postgres",
    jwt_secret: project.keys.jwtSecret,
  };
}
