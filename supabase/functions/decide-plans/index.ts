/**
 * decide-plans: POST proposes the best pair for each plan that decides itself and whose deadline has passed, or leaves
 * the plan to its hosts with the reason. Responds 202 `{"accepted": true}` before ranking, because the schedule
 * that calls it waits for only five seconds. Running twice, or stopping halfway, changes nothing: the database
 * accepts a proposal only for the state that was ranked. Only the schedule may call it, with the vault's secret
 * in `x-reminders-secret`.
 */
import { afterAnswer } from "../_shared/background.ts";
import { dataOf, requireSchedule, serve, serviceClient } from "../_shared/http.ts";
import { decide } from "../_shared/ranking/decide.ts";
import { type PastMeals, type PlanRows, rankingInput, type TripRow } from "../_shared/ranking/plan_rows.ts";

/** An element of plans_to_decide. */
interface DuePlan extends PastMeals {
  rows: PlanRows;
  trips: TripRow[];
  deadline: string;
  revision: number;
  /** A meal that begins earlier leaves no time to object. */
  from: string;
}

serve(
  { name: "decide-plans", methods: ["POST"], errorMessage: "The plans could not be decided." },
  async (request) => {
    await requireSchedule(request);
    afterAnswer("decide-plans", decideAll);
    return Response.json({ accepted: true }, { status: 202 });
  },
);

async function decideAll(): Promise<void> {
  const client = serviceClient();
  for (const due of dataOf(await client.rpc("plans_to_decide")) as DuePlan[]) {
    const state = { plan: due.rows.id, deadline: due.deadline, revision: due.revision };
    // One plan that fails must not hold up the others.
    try {
      const decision = decide(rankingInput(due.rows, due.trips, due), Date.parse(due.from));
      dataOf(
        "pair" in decision
          ? await client.rpc("propose_choice", {
              ...state,
              time_option: decision.pair.timeId,
              ...(decision.pair.placeId === null ? {} : { place_option: decision.pair.placeId }),
            })
          : await client.rpc("leave_undecided", { ...state, reason: decision.undecided }),
      );
    } catch (error) {
      console.error(`decide-plans: plan ${due.rows.id}`, error);
    }
  }
}
