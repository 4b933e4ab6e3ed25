
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  
  "graphql_public": {
          Tables: {
            [_ in never]: never
          }
          Views: {
            [_ in never]: never
          }
          Functions: {
            "graphql":
{ Args: { "extensions"?: Json,"operationName"?: string,"query"?: string,"variables"?: Json }; Returns: Json
                           }
          }
          Enums: {
            [_ in never]: never
          }
          CompositeTypes: {
            [_ in never]: never
          }
        },"public": {
          Tables: {
            "arrivals": {
                  Row: {
                    "eta": string | null,"plan_id": string,"status": Database["public"]['Enums']["arrival_status"],"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "eta"?: string | null,"plan_id": string,"status"?: Database["public"]['Enums']["arrival_status"],"updated_at"?: string,"user_id": string
                  }
                  Update: {
                    "eta"?: string | null,"plan_id"?: string,"status"?: Database["public"]['Enums']["arrival_status"],"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "arrivals_plan_id_user_id_fkey"
      columns: ["plan_id","user_id"]
isOneToOne: true
      referencedRelation: "plan_members"
      referencedColumns: ["plan_id","user_id"]
    }
                  ]
                },"circle_members": {
                  Row: {
                    "circle_id": string,"joined_at": string,"role": Database["public"]['Enums']["circle_role"],"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "circle_id": string,"joined_at"?: string,"role"?: Database["public"]['Enums']["circle_role"],"user_id": string
                  }
                  Update: {
                    "circle_id"?: string,"joined_at"?: string,"role"?: Database["public"]['Enums']["circle_role"],"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "circle_members_circle_id_fkey"
      columns: ["circle_id"]
isOneToOne: false
      referencedRelation: "circles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "circle_members_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"circle_places": {
                  Row: {
                    "circle_id": string,"place_id": string,"put_at": string,"put_by": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "circle_id": string,"place_id": string,"put_at"?: string,"put_by"?: string | null
                  }
                  Update: {
                    "circle_id"?: string,"place_id"?: string,"put_at"?: string,"put_by"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "circle_places_circle_id_fkey"
      columns: ["circle_id"]
isOneToOne: false
      referencedRelation: "circles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "circle_places_place_id_fkey"
      columns: ["place_id"]
isOneToOne: false
      referencedRelation: "places"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "circle_places_put_by_fkey"
      columns: ["put_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"circles": {
                  Row: {
                    "created_at": string,"id": string,"name": string,"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"id"?: string,"name": string,"updated_at"?: string
                  }
                  Update: {
                    "created_at"?: string,"id"?: string,"name"?: string,"updated_at"?: string
                  }
                  Relationships: [
                    
                  ]
                },"invites": {
                  Row: {
                    "circle_id": string | null,"created_at": string,"created_by": string | null,"expires_at": string,"id": string,"mailed_to": string | null,"max_uses": number,"plan_id": string | null,"revoked_at": string | null,"token_hash": string,"uses": number
                  }
                  ComputedFields: never
                  Insert: {
                    "circle_id"?: string | null,"created_at"?: string,"created_by"?: string | null,"expires_at": string,"id"?: string,"mailed_to"?: string | null,"max_uses": number,"plan_id"?: string | null,"revoked_at"?: string | null,"token_hash": string,"uses"?: number
                  }
                  Update: {
                    "circle_id"?: string | null,"created_at"?: string,"created_by"?: string | null,"expires_at"?: string,"id"?: string,"mailed_to"?: string | null,"max_uses"?: number,"plan_id"?: string | null,"revoked_at"?: string | null,"token_hash"?: string,"uses"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "invites_circle_id_fkey"
      columns: ["circle_id"]
isOneToOne: false
      referencedRelation: "circles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "invites_created_by_fkey"
      columns: ["created_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "invites_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plan_cards"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "invites_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plans"
      referencedColumns: ["id"]
    }
                  ]
                },"message_reads": {
                  Row: {
                    "plan_id": string,"read_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "plan_id": string,"read_at": string,"user_id": string
                  }
                  Update: {
                    "plan_id"?: string,"read_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "message_reads_plan_id_user_id_fkey"
      columns: ["plan_id","user_id"]
isOneToOne: true
      referencedRelation: "plan_members"
      referencedColumns: ["plan_id","user_id"]
    }
                  ]
                },"messages": {
                  Row: {
                    "author_id": string | null,"body": string,"client_id": string,"created_at": string,"deleted_at": string | null,"edited_at": string | null,"id": string,"photo_id": string | null,"plan_id": string,"reply_to": string | null,"revision": number,"text_revision": number
                  }
                  ComputedFields: never
                  Insert: {
                    "author_id"?: string | null,"body": string,"client_id": string,"created_at"?: string,"deleted_at"?: string | null,"edited_at"?: string | null,"id"?: string,"photo_id"?: string | null,"plan_id": string,"reply_to"?: string | null,"revision"?: number,"text_revision"?: number
                  }
                  Update: {
                    "author_id"?: string | null,"body"?: string,"client_id"?: string,"created_at"?: string,"deleted_at"?: string | null,"edited_at"?: string | null,"id"?: string,"photo_id"?: string | null,"plan_id"?: string,"reply_to"?: string | null,"revision"?: number,"text_revision"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "messages_author_id_fkey"
      columns: ["author_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "messages_photo_fkey"
      columns: ["photo_id","plan_id"]
isOneToOne: false
      referencedRelation: "photos"
      referencedColumns: ["id","plan_id"]
    },{
      foreignKeyName: "messages_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plan_cards"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "messages_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plans"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "messages_reply_to_plan_id_fkey"
      columns: ["reply_to","plan_id"]
isOneToOne: false
      referencedRelation: "messages"
      referencedColumns: ["id","plan_id"]
    }
                  ]
                },"notifications": {
                  Row: {
                    "actor_id": string | null,"created_at": string,"id": string,"kind": Database["public"]['Enums']["notification_kind"],"plan_id": string,"read_at": string | null,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "actor_id"?: string | null,"created_at"?: string,"id"?: string,"kind": Database["public"]['Enums']["notification_kind"],"plan_id": string,"read_at"?: string | null,"user_id": string
                  }
                  Update: {
                    "actor_id"?: string | null,"created_at"?: string,"id"?: string,"kind"?: Database["public"]['Enums']["notification_kind"],"plan_id"?: string,"read_at"?: string | null,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "notifications_actor_id_fkey"
      columns: ["actor_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "notifications_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plan_cards"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "notifications_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plans"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "notifications_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"photos": {
                  Row: {
                    "author_id": string | null,"caption": string,"created_at": string,"height": number,"id": string,"path": string,"plan_id": string,"width": number
                  }
                  ComputedFields: never
                  Insert: {
                    "author_id"?: string | null,"caption"?: string,"created_at"?: string,"height": number,"id"?: string,"path": string,"plan_id": string,"width": number
                  }
                  Update: {
                    "author_id"?: string | null,"caption"?: string,"created_at"?: string,"height"?: number,"id"?: string,"path"?: string,"plan_id"?: string,"width"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "photos_author_id_fkey"
      columns: ["author_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "photos_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plan_cards"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "photos_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plans"
      referencedColumns: ["id"]
    }
                  ]
                },"place_diet_claims": {
                  Row: {
                    "diet": Database["public"]['Enums']["diet"],"from_source": boolean,"holds": boolean,"id": string,"made_at": string,"made_by": string | null,"place_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "diet": Database["public"]['Enums']["diet"],"from_source"?: boolean,"holds": boolean,"id"?: string,"made_at"?: string,"made_by"?: string | null,"place_id": string
                  }
                  Update: {
                    "diet"?: Database["public"]['Enums']["diet"],"from_source"?: boolean,"holds"?: boolean,"id"?: string,"made_at"?: string,"made_by"?: string | null,"place_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "place_diet_claims_made_by_fkey"
      columns: ["made_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "place_diet_claims_place_id_fkey"
      columns: ["place_id"]
isOneToOne: false
      referencedRelation: "places"
      referencedColumns: ["id"]
    }
                  ]
                },"place_homes": {
                  Row: {
                    "address": string,"latitude": number | null,"longitude": number | null,"place_id": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "address": string,"latitude"?: number | null,"longitude"?: number | null,"place_id": string,"user_id": string
                  }
                  Update: {
                    "address"?: string,"latitude"?: number | null,"longitude"?: number | null,"place_id"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "place_homes_place_id_fkey"
      columns: ["place_id"]
isOneToOne: true
      referencedRelation: "places"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "place_homes_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"place_hours": {
                  Row: {
                    "closes": string,"id": string,"opens": string,"place_id": string,"weekday": number
                  }
                  ComputedFields: never
                  Insert: {
                    "closes": string,"id"?: string,"opens": string,"place_id": string,"weekday": number
                  }
                  Update: {
                    "closes"?: string,"id"?: string,"opens"?: string,"place_id"?: string,"weekday"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "place_hours_place_id_fkey"
      columns: ["place_id"]
isOneToOne: false
      referencedRelation: "places"
      referencedColumns: ["id"]
    }
                  ]
                },"place_options": {
                  Row: {
                    "created_at": string,"id": string,"place_id": string,"plan_id": string,"proposed_by": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"id"?: string,"place_id": string,"plan_id": string,"proposed_by"?: string | null
                  }
                  Update: {
                    "created_at"?: string,"id"?: string,"place_id"?: string,"plan_id"?: string,"proposed_by"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "place_options_place_id_fkey"
      columns: ["place_id"]
isOneToOne: false
      referencedRelation: "places"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "place_options_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plan_cards"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "place_options_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plans"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "place_options_proposed_by_fkey"
      columns: ["proposed_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"place_votes": {
                  Row: {
                    "answer": Database["public"]['Enums']["vote_answer"],"option_id": string,"plan_id": string,"user_id": string,"voted_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "answer": Database["public"]['Enums']["vote_answer"],"option_id": string,"plan_id": string,"user_id": string,"voted_at"?: string
                  }
                  Update: {
                    "answer"?: Database["public"]['Enums']["vote_answer"],"option_id"?: string,"plan_id"?: string,"user_id"?: string,"voted_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "place_votes_option_id_plan_id_fkey"
      columns: ["option_id","plan_id"]
isOneToOne: false
      referencedRelation: "place_options"
      referencedColumns: ["id","plan_id"]
    },{
      foreignKeyName: "place_votes_plan_id_user_id_fkey"
      columns: ["plan_id","user_id"]
isOneToOne: false
      referencedRelation: "plan_members"
      referencedColumns: ["plan_id","user_id"]
    }
                  ]
                },"places": {
                  Row: {
                    "about": string,"address": string,"booking_url": string,"created_at": string,"created_by": string | null,"cuisines": (string)[],"everybody": boolean,"external_id": string | null,"home": boolean,"id": string,"latitude": number | null,"longitude": number | null,"name": string,"phone": string,"price": number | null,"safe_diets": (Database["public"]['Enums']["diet"])[],"search_text": string | null,"source": Database["public"]['Enums']["place_source"],"time_zone": string,"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "about"?: string,"address"?: string,"booking_url"?: string,"created_at"?: string,"created_by"?: string | null,"cuisines"?: (string)[],"everybody"?: boolean,"external_id"?: string | null,"home"?: boolean,"id"?: string,"latitude"?: number | null,"longitude"?: number | null,"name": string,"phone"?: string,"price"?: number | null,"safe_diets"?: (Database["public"]['Enums']["diet"])[],"search_text"?: never,"source"?: Database["public"]['Enums']["place_source"],"time_zone": string,"updated_at"?: string
                  }
                  Update: {
                    "about"?: string,"address"?: string,"booking_url"?: string,"created_at"?: string,"created_by"?: string | null,"cuisines"?: (string)[],"everybody"?: boolean,"external_id"?: string | null,"home"?: boolean,"id"?: string,"latitude"?: number | null,"longitude"?: number | null,"name"?: string,"phone"?: string,"price"?: number | null,"safe_diets"?: (Database["public"]['Enums']["diet"])[],"search_text"?: never,"source"?: Database["public"]['Enums']["place_source"],"time_zone"?: string,"updated_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "places_created_by_fkey"
      columns: ["created_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"plan_channels": {
                  Row: {
                    "changed_in": unknown,"epoch": number,"plan_id": string,"revision": number
                  }
                  ComputedFields: never
                  Insert: {
                    "changed_in"?: unknown,"epoch"?: number,"plan_id": string,"revision"?: number
                  }
                  Update: {
                    "changed_in"?: unknown,"epoch"?: number,"plan_id"?: string,"revision"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "plan_channels_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: true
      referencedRelation: "plan_cards"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "plan_channels_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: true
      referencedRelation: "plans"
      referencedColumns: ["id"]
    }
                  ]
                },"plan_members": {
                  Row: {
                    "accepted_at": string | null,"answered_at": string | null,"joined_at": string,"places_answered": boolean,"plan_id": string,"plus_ones": number,"required": boolean,"role": Database["public"]['Enums']["plan_role"],"rsvp": Database["public"]['Enums']["rsvp_status"],"rsvp_at": string | null,"times_answered": boolean,"user_id": string,"waitlisted_at": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "accepted_at"?: string | null,"answered_at"?: string | null,"joined_at"?: string,"places_answered"?: boolean,"plan_id": string,"plus_ones"?: number,"required"?: boolean,"role"?: Database["public"]['Enums']["plan_role"],"rsvp"?: Database["public"]['Enums']["rsvp_status"],"rsvp_at"?: string | null,"times_answered"?: boolean,"user_id": string,"waitlisted_at"?: string | null
                  }
                  Update: {
                    "accepted_at"?: string | null,"answered_at"?: string | null,"joined_at"?: string,"places_answered"?: boolean,"plan_id"?: string,"plus_ones"?: number,"required"?: boolean,"role"?: Database["public"]['Enums']["plan_role"],"rsvp"?: Database["public"]['Enums']["rsvp_status"],"rsvp_at"?: string | null,"times_answered"?: boolean,"user_id"?: string,"waitlisted_at"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "plan_members_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plan_cards"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "plan_members_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plans"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "plan_members_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"plans": {
                  Row: {
                    "booked_name": string | null,"booked_seats": number | null,"capacity": number | null,"chosen_place_id": string | null,"chosen_time_id": string | null,"circle_id": string | null,"created_at": string,"decided_deadline": string | null,"decides_itself": boolean,"guests_may_propose": boolean,"id": string,"joins_by_link": boolean,"moved_from_place_id": string | null,"moved_from_time_id": string | null,"note": string,"nudged_at": string | null,"proposed_at": string | null,"proposed_place_id": string | null,"proposed_time_id": string | null,"ready_at": string | null,"ready_by": string | null,"results_hidden": boolean,"revision": number,"standing_id": string | null,"standing_on": string | null,"status": Database["public"]['Enums']["plan_status"],"time_zone": string,"title": string,"undecided": string | null,"updated_at": string,"veto_reason": string,"veto_until": string | null,"vetoed_at": string | null,"vetoed_by": string | null,"vote_deadline": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "booked_name"?: string | null,"booked_seats"?: number | null,"capacity"?: number | null,"chosen_place_id"?: string | null,"chosen_time_id"?: string | null,"circle_id"?: string | null,"created_at"?: string,"decided_deadline"?: string | null,"decides_itself"?: boolean,"guests_may_propose"?: boolean,"id"?: string,"joins_by_link"?: boolean,"moved_from_place_id"?: string | null,"moved_from_time_id"?: string | null,"note"?: string,"nudged_at"?: string | null,"proposed_at"?: string | null,"proposed_place_id"?: string | null,"proposed_time_id"?: string | null,"ready_at"?: string | null,"ready_by"?: string | null,"results_hidden"?: boolean,"revision"?: number,"standing_id"?: string | null,"standing_on"?: string | null,"status"?: Database["public"]['Enums']["plan_status"],"time_zone": string,"title": string,"undecided"?: string | null,"updated_at"?: string,"veto_reason"?: string,"veto_until"?: string | null,"vetoed_at"?: string | null,"vetoed_by"?: string | null,"vote_deadline"?: string | null
                  }
                  Update: {
                    "booked_name"?: string | null,"booked_seats"?: number | null,"capacity"?: number | null,"chosen_place_id"?: string | null,"chosen_time_id"?: string | null,"circle_id"?: string | null,"created_at"?: string,"decided_deadline"?: string | null,"decides_itself"?: boolean,"guests_may_propose"?: boolean,"id"?: string,"joins_by_link"?: boolean,"moved_from_place_id"?: string | null,"moved_from_time_id"?: string | null,"note"?: string,"nudged_at"?: string | null,"proposed_at"?: string | null,"proposed_place_id"?: string | null,"proposed_time_id"?: string | null,"ready_at"?: string | null,"ready_by"?: string | null,"results_hidden"?: boolean,"revision"?: number,"standing_id"?: string | null,"standing_on"?: string | null,"status"?: Database["public"]['Enums']["plan_status"],"time_zone"?: string,"title"?: string,"undecided"?: string | null,"updated_at"?: string,"veto_reason"?: string,"veto_until"?: string | null,"vetoed_at"?: string | null,"vetoed_by"?: string | null,"vote_deadline"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "plans_chosen_place_fkey"
      columns: ["chosen_place_id","id"]
isOneToOne: false
      referencedRelation: "place_options"
      referencedColumns: ["id","plan_id"]
    },{
      foreignKeyName: "plans_chosen_time_fkey"
      columns: ["chosen_time_id","id"]
isOneToOne: false
      referencedRelation: "time_options"
      referencedColumns: ["id","plan_id"]
    },{
      foreignKeyName: "plans_circle_id_fkey"
      columns: ["circle_id"]
isOneToOne: false
      referencedRelation: "circles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "plans_moved_from_place_fkey"
      columns: ["moved_from_place_id","id"]
isOneToOne: false
      referencedRelation: "place_options"
      referencedColumns: ["id","plan_id"]
    },{
      foreignKeyName: "plans_moved_from_time_fkey"
      columns: ["moved_from_time_id","id"]
isOneToOne: false
      referencedRelation: "time_options"
      referencedColumns: ["id","plan_id"]
    },{
      foreignKeyName: "plans_proposed_place_fkey"
      columns: ["proposed_place_id","id"]
isOneToOne: false
      referencedRelation: "place_options"
      referencedColumns: ["id","plan_id"]
    },{
      foreignKeyName: "plans_proposed_time_fkey"
      columns: ["proposed_time_id","id"]
isOneToOne: false
      referencedRelation: "time_options"
      referencedColumns: ["id","plan_id"]
    },{
      foreignKeyName: "plans_ready_by_fkey"
      columns: ["ready_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "plans_standing_fkey"
      columns: ["standing_id"]
isOneToOne: false
      referencedRelation: "standing_dinners"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "plans_vetoed_by_fkey"
      columns: ["vetoed_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"private_profiles": {
                  Row: {
                    "asked_at": string | null,"id": string,"language": string,"mail_invites": boolean,"mail_reminders": boolean,"start_city": string | null,"start_latitude": number | null,"start_longitude": number | null,"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "asked_at"?: string | null,"id": string,"language"?: string,"mail_invites"?: boolean,"mail_reminders"?: boolean,"start_city"?: string | null,"start_latitude"?: number | null,"start_longitude"?: number | null,"updated_at"?: string
                  }
                  Update: {
                    "asked_at"?: string | null,"id"?: string,"language"?: string,"mail_invites"?: boolean,"mail_reminders"?: boolean,"start_city"?: string | null,"start_latitude"?: number | null,"start_longitude"?: number | null,"updated_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "private_profiles_id_fkey"
      columns: ["id"]
isOneToOne: true
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"profiles": {
                  Row: {
                    "avatar_path": string | null,"budget": number,"created_at": string,"diets": (Database["public"]['Enums']["diet"])[],"diets_known": boolean,"display_name": string,"id": string,"is_guest": boolean,"time_zone": string,"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "avatar_path"?: string | null,"budget"?: number,"created_at"?: string,"diets"?: (Database["public"]['Enums']["diet"])[],"diets_known"?: boolean,"display_name": string,"id": string,"is_guest"?: boolean,"time_zone"?: string,"updated_at"?: string
                  }
                  Update: {
                    "avatar_path"?: string | null,"budget"?: number,"created_at"?: string,"diets"?: (Database["public"]['Enums']["diet"])[],"diets_known"?: boolean,"display_name"?: string,"id"?: string,"is_guest"?: boolean,"time_zone"?: string,"updated_at"?: string
                  }
                  Relationships: [
                    
                  ]
                },"push_subscriptions": {
                  Row: {
                    "auth": string,"created_at": string,"endpoint": string,"id": string,"p256dh": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "auth": string,"created_at"?: string,"endpoint": string,"id"?: string,"p256dh": string,"user_id": string
                  }
                  Update: {
                    "auth"?: string,"created_at"?: string,"endpoint"?: string,"id"?: string,"p256dh"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "push_subscriptions_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"ratings": {
                  Row: {
                    "ate": (Database["public"]['Enums']["diet"])[],"comment": string,"created_at": string,"eaten_at": string | null,"lacked": (Database["public"]['Enums']["diet"])[],"place_id": string | null,"plan_id": string,"stars": number,"updated_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "ate"?: (Database["public"]['Enums']["diet"])[],"comment"?: string,"created_at"?: string,"eaten_at"?: string | null,"lacked"?: (Database["public"]['Enums']["diet"])[],"place_id"?: string | null,"plan_id": string,"stars": number,"updated_at"?: string,"user_id": string
                  }
                  Update: {
                    "ate"?: (Database["public"]['Enums']["diet"])[],"comment"?: string,"created_at"?: string,"eaten_at"?: string | null,"lacked"?: (Database["public"]['Enums']["diet"])[],"place_id"?: string | null,"plan_id"?: string,"stars"?: number,"updated_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "ratings_place_id_fkey"
      columns: ["place_id"]
isOneToOne: false
      referencedRelation: "places"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "ratings_plan_id_user_id_fkey"
      columns: ["plan_id","user_id"]
isOneToOne: true
      referencedRelation: "plan_members"
      referencedColumns: ["plan_id","user_id"]
    }
                  ]
                },"reactions": {
                  Row: {
                    "created_at": string,"emoji": string,"message_id": string,"plan_id": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"emoji": string,"message_id": string,"plan_id": string,"user_id"?: string
                  }
                  Update: {
                    "created_at"?: string,"emoji"?: string,"message_id"?: string,"plan_id"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "reactions_message_id_plan_id_fkey"
      columns: ["message_id","plan_id"]
isOneToOne: false
      referencedRelation: "messages"
      referencedColumns: ["id","plan_id"]
    },{
      foreignKeyName: "reactions_plan_id_user_id_fkey"
      columns: ["plan_id","user_id"]
isOneToOne: false
      referencedRelation: "plan_members"
      referencedColumns: ["plan_id","user_id"]
    }
                  ]
                },"saved_places": {
                  Row: {
                    "place_id": string,"saved_at": string,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "place_id": string,"saved_at"?: string,"user_id": string
                  }
                  Update: {
                    "place_id"?: string,"saved_at"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "saved_places_place_id_fkey"
      columns: ["place_id"]
isOneToOne: false
      referencedRelation: "places"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "saved_places_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"standing_dinners": {
                  Row: {
                    "circle_id": string,"created_at": string,"first_on": string,"id": string,"minutes": number,"next_on": string,"paused": boolean,"rhythm": Database["public"]['Enums']["dinner_rhythm"],"rotation": Database["public"]['Enums']["host_rotation"],"starts_at": string,"time_zone": string,"title": string,"next_host": string | null
                  }
                  ComputedFields: "next_host"
                  Insert: {
                    "circle_id": string,"created_at"?: string,"first_on": string,"id"?: string,"minutes"?: number,"next_on": string,"paused"?: boolean,"rhythm": Database["public"]['Enums']["dinner_rhythm"],"rotation"?: Database["public"]['Enums']["host_rotation"],"starts_at": string,"time_zone": string,"title": string
                  }
                  Update: {
                    "circle_id"?: string,"created_at"?: string,"first_on"?: string,"id"?: string,"minutes"?: number,"next_on"?: string,"paused"?: boolean,"rhythm"?: Database["public"]['Enums']["dinner_rhythm"],"rotation"?: Database["public"]['Enums']["host_rotation"],"starts_at"?: string,"time_zone"?: string,"title"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "standing_dinners_circle_id_fkey"
      columns: ["circle_id"]
isOneToOne: false
      referencedRelation: "circles"
      referencedColumns: ["id"]
    }
                  ]
                },"time_options": {
                  Row: {
                    "created_at": string,"ends_at": string,"id": string,"plan_id": string,"proposed_by": string | null,"starts_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at"?: string,"ends_at": string,"id"?: string,"plan_id": string,"proposed_by"?: string | null,"starts_at": string
                  }
                  Update: {
                    "created_at"?: string,"ends_at"?: string,"id"?: string,"plan_id"?: string,"proposed_by"?: string | null,"starts_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "time_options_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plan_cards"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "time_options_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plans"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "time_options_proposed_by_fkey"
      columns: ["proposed_by"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                },"time_votes": {
                  Row: {
                    "answer": Database["public"]['Enums']["vote_answer"],"option_id": string,"plan_id": string,"user_id": string,"voted_at": string,"yes_at": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "answer": Database["public"]['Enums']["vote_answer"],"option_id": string,"plan_id": string,"user_id": string,"voted_at"?: string,"yes_at"?: string | null
                  }
                  Update: {
                    "answer"?: Database["public"]['Enums']["vote_answer"],"option_id"?: string,"plan_id"?: string,"user_id"?: string,"voted_at"?: string,"yes_at"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "time_votes_option_id_plan_id_fkey"
      columns: ["option_id","plan_id"]
isOneToOne: false
      referencedRelation: "time_options"
      referencedColumns: ["id","plan_id"]
    },{
      foreignKeyName: "time_votes_plan_id_user_id_fkey"
      columns: ["plan_id","user_id"]
isOneToOne: false
      referencedRelation: "plan_members"
      referencedColumns: ["plan_id","user_id"]
    }
                  ]
                },"usual_times": {
                  Row: {
                    "answer": Database["public"]['Enums']["vote_answer"],"part": Database["public"]['Enums']["day_part"],"user_id": string,"weekday": number
                  }
                  ComputedFields: never
                  Insert: {
                    "answer": Database["public"]['Enums']["vote_answer"],"part": Database["public"]['Enums']["day_part"],"user_id"?: string,"weekday": number
                  }
                  Update: {
                    "answer"?: Database["public"]['Enums']["vote_answer"],"part"?: Database["public"]['Enums']["day_part"],"user_id"?: string,"weekday"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "usual_times_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    }
                  ]
                }
          }
          Views: {
            "place_photos": {
                  Row: {
                    "author_id": string | null,"caption": string | null,"newest_at": string | null,"path": string | null,"photos": number | null,"place_id": string,"plan_id": string,"plan_title": string
                  }
                  ComputedFields: never
                  Relationships: [
                    {
      foreignKeyName: "photos_author_id_fkey"
      columns: ["author_id"]
isOneToOne: false
      referencedRelation: "profiles"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "photos_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plan_cards"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "photos_plan_id_fkey"
      columns: ["plan_id"]
isOneToOne: false
      referencedRelation: "plans"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "place_options_place_id_fkey"
      columns: ["place_id"]
isOneToOne: false
      referencedRelation: "places"
      referencedColumns: ["id"]
    }
                  ]
                },"plan_cards": {
                  Row: {
                    "circle_id": string | null,"created_at": string,"ends_at": string | null,"id": string,"moved": boolean | null,"next": string | null,"people": Json | null,"place_name": string | null,"places": number | null,"position": number | null,"section": number | null,"starts_at": string | null,"status": Database["public"]['Enums']["plan_status"],"time_zone": string,"times": number | null,"title": string,"vote_deadline": string | null,"voted": number | null
                  }
                  ComputedFields: never
                  Relationships: [
                    {
      foreignKeyName: "plans_circle_id_fkey"
      columns: ["circle_id"]
isOneToOne: false
      referencedRelation: "circles"
      referencedColumns: ["id"]
    }
                  ]
                }
          }
          Functions: {
            "accept_invite":
{ Args: { "token": string }; Returns: {
              "kind": string,"target": string
            }[]
                           },
"answer_join_request":
{ Args: { "person": string,"plan": string,"welcome": boolean }; Returns: undefined
                           },
"answer_seat_request":
{ Args: { "allow": boolean,"person": string,"plan": string,"seat_of": string }; Returns: undefined
                           },
"ask_for_seat":
{ Args: { "plan"?: string,"token"?: string }; Returns: string
                           },
"ask_to_join":
{ Args: { "plan": string }; Returns: string
                           },
"calendar_of_feed":
{ Args: { "token": string }; Returns: Json
                           },
"call_to_table":
{ Args: { "plan": string,"said": string }; Returns: undefined
                           },
"cancel_plan":
{ Args: { "plan": string }; Returns: undefined
                           },
"cast_votes":
{ Args: { "places"?: Json,"plan": string,"times"?: Json }; Returns: undefined
                           },
"change_choice":
{ Args: { "place_option"?: string,"plan": string,"time_option": string,"unsafe_for"?: (string)[],"was_place"?: string,"was_time": string }; Returns: undefined
                           },
"choose_mail":
{ Args: { "invites": boolean,"reminders": boolean,"token": string }; Returns: undefined
                           },
"confirm_address":
{ Args: { "token": string }; Returns: string
                           },
"confirm_plan":
{ Args: { "place_option"?: string,"plan": string,"time_option": string,"unsafe_for"?: (string)[] }; Returns: undefined
                           },
"count_calendar_read":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"count_look_up":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"create_calendar_feed":
{ Args: Record<PropertyKey, never>; Returns: string
                           },
"create_circle":
{ Args: { "name": string }; Returns: string
                           },
"create_circle_invite":
{ Args: { "circle": string,"days"?: number,"uses"?: number }; Returns: {
              "expires_at": string,"id": string,"token": string
            }[]
                           },
"create_invite":
{ Args: { "days"?: number,"plan": string,"uses"?: number }; Returns: {
              "expires_at": string,"id": string,"token": string
            }[]
                           },
"create_personal_link":
{ Args: Record<PropertyKey, never>; Returns: {
              "expires_at": string,"token": string
            }[]
                           },
"create_plan":
{ Args: { "capacity"?: number,"circle"?: string,"decides_itself"?: boolean,"guests_may_propose"?: boolean,"new_places"?: Json,"note"?: string,"people"?: (string)[],"places"?: (string)[],"results_hidden"?: boolean,"time_zone": string,"times"?: Json,"title": string,"vote_deadline"?: string }; Returns: string
                           },
"delete_message":
{ Args: { "message": string }; Returns: undefined
                           },
"delete_my_account":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"delivery_due_in":
{ Args: { "what": string }; Returns: number
                           },
"edit_message":
{ Args: { "based_on"?: number,"body": string,"message": string }; Returns: number
                           },
"end_session":
{ Args: { "session": string }; Returns: undefined
                           },
"end_standing_dinner":
{ Args: { "dinner": string }; Returns: undefined
                           },
"export_my_data":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"has_calendar_feed":
{ Args: Record<PropertyKey, never>; Returns: boolean
                           },
"has_personal_link":
{ Args: Record<PropertyKey, never>; Returns: boolean
                           },
"invite_by_mail":
{ Args: { "addresses": (string)[],"plan": string }; Returns: {
              "address": string,"outcome": string
            }[]
                           },
"invite_subject":
{ Args: { "token": string }; Returns: string
                           },
"is_reminders_secret":
{ Args: { "given": string }; Returns: boolean
                           },
"join_requests":
{ Args: { "plan": string }; Returns: {
              "asked_at": string,"declined_at": string,"display_name": string,"seat_name": string,"seat_of": string,"user_id": string
            }[]
                           },
"keep_look_up":
{ Args: { "answers": Json,"digest": string }; Returns: undefined
                           },
"kept_look_up":
{ Args: { "digest": string }; Returns: Json
                           },
"leave_address":
{ Args: { "address": string,"plan": string }; Returns: string
                           },
"leave_undecided":
{ Args: { "deadline": string,"plan": string,"reason": string,"revision": number }; Returns: boolean
                           },
"mail_choice":
{ Args: { "token": string }; Returns: {
              "address": string,"invites": boolean,"reminders": boolean
            }[]
                           },
"mark_arrival":
{ Args: { "eta_minutes"?: number,"plan": string,"status": Database["public"]['Enums']["arrival_status"] }; Returns: undefined
                           },
"mark_read":
{ Args: { "plan": string,"up_to": string }; Returns: undefined
                           },
"my_calendar":
{ Args: { "plan"?: string }; Returns: Json
                           },
"my_left_address":
{ Args: { "plan": string }; Returns: {
              "address": string,"confirmed": boolean
            }[]
                           },
"my_sessions":
{ Args: Record<PropertyKey, never>; Returns: {
              "created_at": string,"current": boolean,"id": string,"last_used_at": string,"user_agent": string
            }[]
                           },
"namesake":
{ Args: { "name": string,"plan"?: string,"token"?: string }; Returns: {
              "called": string,"kind": string
            }[]
                           },
"next_host":
{ Args: { "standing": Omit<Database["public"]['Tables']["standing_dinners"]['Row'], Database["public"]['Tables']["standing_dinners"]['ComputedFields']> }; Returns: string
                           },
"nudge_voters":
{ Args: { "plan": string }; Returns: number
                           },
"open_personal_link":
{ Args: { "token": string }; Returns: {
              "display_name": string,"refresh_token": string
            }[]
                           },
"pause_standing_dinner":
{ Args: { "dinner": string,"paused": boolean }; Returns: undefined
                           },
"plan_candidates":
{ Args: { "most"?: number,"plan": string }; Returns: {
              "place_id": string,"trips": Json
            }[]
                           },
"plan_reach":
{ Args: { "plan": string }; Returns: string
                           },
"plan_trips":
{ Args: { "places"?: (string)[],"plan": string }; Returns: {
              "minutes": number,"place_id": string,"user_id": string
            }[]
                           },
"plan_unreachable":
{ Args: { "plan": string }; Returns: string[]
                           },
"plans_to_decide":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"preview_invite":
{ Args: { "token": string }; Returns: {
              "host_name": string,"joined": boolean,"kind": string,"language": string,"people": number,"places": (string)[],"plan_state": string,"starts_at": string,"target": string,"time_zone": string,"times": (string)[],"title": string
            }[]
                           },
"preview_plan":
{ Args: { "plan": string }; Returns: {
              "host_name": string,"joined": boolean,"language": string,"opens": boolean,"people": number,"plan_state": string,"request": string,"title": string
            }[]
                           },
"propose_choice":
{ Args: { "deadline": string,"place_option"?: string,"plan": string,"revision": number,"time_option": string }; Returns: boolean
                           },
"propose_named_place":
{ Args: { "details"?: Json,"name": string,"plan": string }; Returns: string
                           },
"propose_place":
{ Args: { "place": string,"plan": string }; Returns: string
                           },
"propose_time":
{ Args: { "ends_at": string,"plan": string,"starts_at": string }; Returns: string
                           },
"rate_plan":
{ Args: { "ate"?: (Database["public"]['Enums']["diet"])[],"comment"?: string,"lacked"?: (Database["public"]['Enums']["diet"])[],"plan": string,"stars": number }; Returns: undefined
                           },
"remember_found_places":
{ Args: { "places": Json }; Returns: undefined
                           },
"remove_circle_member":
{ Args: { "circle": string,"person": string }; Returns: undefined
                           },
"remove_left_address":
{ Args: { "plan": string }; Returns: undefined
                           },
"remove_member":
{ Args: { "person": string,"plan": string }; Returns: undefined
                           },
"reopen_plan":
{ Args: { "plan": string }; Returns: undefined
                           },
"restore_plan":
{ Args: { "plan": string }; Returns: undefined
                           },
"revoke_calendar_feed":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"revoke_invite":
{ Args: { "invite": string }; Returns: undefined
                           },
"revoke_personal_link":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"save_home":
{ Args: { "address": string,"latitude"?: number,"longitude"?: number,"place": string }; Returns: undefined
                           },
"save_place":
{ Args: { "fields": Json,"hours"?: Json,"place"?: string }; Returns: string
                           },
"save_push_subscription":
{ Args: { "auth": string,"endpoint": string,"p256dh": string }; Returns: string
                           },
"save_standing_dinner":
{ Args: { "circle": string,"dinner"?: string,"first_on": string,"minutes": number,"rhythm": Database["public"]['Enums']["dinner_rhythm"],"rotation": Database["public"]['Enums']["host_rotation"],"starts_at": string,"time_zone": string,"title": string }; Returns: string
                           },
"say_diet":
{ Args: { "diet": Database["public"]['Enums']["diet"],"holds": boolean,"place": string }; Returns: undefined
                           },
"search_places":
{ Args: { "diets"?: (Database["public"]['Enums']["diet"])[],"latitude"?: number,"longitude"?: number,"max_price"?: number,"most"?: number,"open_at"?: string,"open_minutes"?: number,"words"?: string }; Returns: {
              "about": string,
"address": string,
"booking_url": string,
"created_at": string,
"created_by": string | null,
"cuisines": (string)[],
"everybody": boolean,
"external_id": string | null,
"home": boolean,
"id": string,
"latitude": number | null,
"longitude": number | null,
"name": string,
"phone": string,
"price": number | null,
"safe_diets": (Database["public"]['Enums']["diet"])[],
"search_text": string | null,
"source": Database["public"]['Enums']["place_source"],
"time_zone": string,
"updated_at": string
            }[]
                          SetofOptions: {
        from: "*"
        to: "places"
        isOneToOne: false
        isSetofReturn: true
      } },
"set_circle_role":
{ Args: { "circle": string,"person": string,"role": Database["public"]['Enums']["circle_role"] }; Returns: undefined
                           },
"set_member_required":
{ Args: { "person": string,"plan": string,"required": boolean }; Returns: undefined
                           },
"set_member_role":
{ Args: { "person": string,"plan": string,"role": Database["public"]['Enums']["plan_role"] }; Returns: undefined
                           },
"set_rsvp":
{ Args: { "answer": Database["public"]['Enums']["rsvp_status"],"plan": string,"plus_ones"?: number }; Returns: Database["public"]['Enums']["rsvp_status"]
                           },
"settle_mail":
{ Args: { "failure"?: string,"mail": string }; Returns: undefined
                           },
"settle_push":
{ Args: { "failure"?: string,"gone"?: boolean,"push": string }; Returns: undefined
                           },
"skip_standing_dinner":
{ Args: { "day": string,"dinner": string }; Returns: undefined
                           },
"start_sample_plan":
{ Args: { "hello": string,"note": string,"time_zone"?: string,"title": string }; Returns: string
                           },
"take_mail":
{ Args: { "most"?: number }; Returns: Json
                           },
"take_over_guest":
{ Args: { "token": string }; Returns: number
                           },
"take_push":
{ Args: { "most"?: number }; Returns: Json
                           },
"undo_decision":
{ Args: { "plan": string }; Returns: undefined
                           },
"unread_counts":
{ Args: Record<PropertyKey, never>; Returns: {
              "plan_id": string,"unread": number
            }[]
                           },
"veto_plan":
{ Args: { "plan": string,"reason"?: string,"until"?: string }; Returns: undefined
                           }
          }
          Enums: {
            "arrival_status": "not_left"|"on_the_way"|"arrived","circle_role": "owner"|"admin"|"member","day_part": "lunch"|"dinner","diet": "vegetarian"|"vegan"|"pescatarian"|"halal"|"kosher"|"gluten_free"|"lactose_free"|"nut_free","dinner_rhythm": "weekly"|"biweekly"|"monthly","host_rotation": "joining"|"longest_ago","mail_kind": "invite"|"vote_reminder"|"plan_tomorrow"|"rate_reminder"|"plan_confirmed"|"plan_reopened"|"plan_cancelled"|"plan_restored"|"plan_changed"|"vote_nudge"|"plan_proposed"|"plan_vetoed"|"plan_undecided"|"plan_moved"|"plan_placed"|"confirm_address"|"everybody_answered"|"join_asked","notification_kind": "plan_invited"|"plan_confirmed"|"plan_reopened"|"plan_cancelled"|"plan_restored"|"seat_freed"|"person_joined"|"vote_reminder"|"plan_tomorrow"|"rate_reminder"|"plan_changed"|"vote_nudge"|"plan_proposed"|"plan_vetoed"|"plan_undecided"|"standing_planned"|"plan_moved"|"plan_placed"|"everybody_answered"|"join_asked"|"seat_asked"|"seat_moved"|"not_coming","person_state": "asked"|"voted"|"expected"|"maybe"|"waitlisted"|"not_coming"|"on_the_way"|"here"|"was_there","place_source": "member"|"openstreetmap","plan_role": "host"|"cohost"|"guest","plan_status": "polling"|"confirmed"|"cancelled","rsvp_status": "pending"|"going"|"maybe"|"declined"|"waitlisted","vote_answer": "yes"|"if_need_be"|"no"
          }
          CompositeTypes: {
            [_ in never]: never
          }
        }
}

type DatabaseWithoutInternals = Omit<Database, '__InternalSupabase'>

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
  ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
      Row: infer R
    }
    ? R
    : never
  : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Insert: infer I
    }
    ? I
    : never
  : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Update: infer U
    }
    ? U
    : never
  : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
  ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
  : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
  ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
  : never

export const Constants = {
  "graphql_public": {
          Enums: {
            
          }
        },"public": {
          Enums: {
            "arrival_status": ["not_left", "on_the_way", "arrived"],"circle_role": ["owner", "admin", "member"],"day_part": ["lunch", "dinner"],"diet": ["vegetarian", "vegan", "pescatarian", "halal", "kosher", "gluten_free", "lactose_free", "nut_free"],"dinner_rhythm": ["weekly", "biweekly", "monthly"],"host_rotation": ["joining", "longest_ago"],"mail_kind": ["invite", "vote_reminder", "plan_tomorrow", "rate_reminder", "plan_confirmed", "plan_reopened", "plan_cancelled", "plan_restored", "plan_changed", "vote_nudge", "plan_proposed", "plan_vetoed", "plan_undecided", "plan_moved", "plan_placed", "confirm_address", "everybody_answered", "join_asked"],"notification_kind": ["plan_invited", "plan_confirmed", "plan_reopened", "plan_cancelled", "plan_restored", "seat_freed", "person_joined", "vote_reminder", "plan_tomorrow", "rate_reminder", "plan_changed", "vote_nudge", "plan_proposed", "plan_vetoed", "plan_undecided", "standing_planned", "plan_moved", "plan_placed", "everybody_answered", "join_asked", "seat_asked", "seat_moved", "not_coming"],"person_state": ["asked", "voted", "expected", "maybe", "waitlisted", "not_coming", "on_the_way", "here", "was_there"],"place_source": ["member", "openstreetmap"],"plan_role": ["host", "cohost", "guest"],"plan_status": ["polling", "confirmed", "cancelled"],"rsvp_status": ["pending", "going", "maybe", "declined", "waitlisted"],"vote_answer": ["yes", "if_need_be", "no"]
          }
        }
} as const
