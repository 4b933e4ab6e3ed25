/** Owns the type of an endpoint of Auth. */
import type { ServiceResponse } from "../../http/exchange.ts";
import type { Auth } from "./auth.ts";
import type { AuthRequest } from "./request-fields.ts";

/** Handles a request; `values` are the variables of its route's pattern, decoded. */
export type AuthEndpoint<Name extends string> = (
  auth: Auth,
  request: AuthRequest,
  values: Record<Name, string>,
) => ServiceResponse | Promise<ServiceResponse>;
