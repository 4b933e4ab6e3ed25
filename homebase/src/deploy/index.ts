/** What `homebase-stack/deploy` offers: the checks of a configuration before it goes to a hosted project. */
export { loadRemoteConfig, type RemoteConfig } from "../config/config.ts";
export { refusals, warnings } from "./settings/refusals.ts";
