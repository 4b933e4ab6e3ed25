-- pg_jsonschema's functions in SQL: JSON Schema 2020-12 with the older forms of items and dependencies. Keywords that
-- it does not know how to check are refused, not passed over.

create function _jsonschema_is_type(instance jsonb, name text) returns bool language sql immutable as $$
  select case name
    when 'integer' then jsonb_typeof(instance) = 'number' and (instance #>> '{}')::numeric % 1 = 0
    else jsonb_typeof(instance) = name
  end
$$;

-- The part of a schema that a local reference names (RFC 6901).
create function _jsonschema_part(root jsonb, reference text) returns jsonb language plpgsql immutable as $$
declare
  part jsonb;
  steps text[] := string_to_array(substr(reference, 3), '/');
begin
  if reference = '#' then return root; end if;
  if reference not like '#/%' then
    raise exception using errcode = '0A000',
      message = format('pg_jsonschema: Homebase follows references within a schema only, not %s', reference);
  end if;
  steps := array(
    select replace(replace(replace(step, '%25', '%'), '~1', '/'), '~0', '~') from unnest(steps) with ordinality as list(step, place)
    order by place);
  part := root #> steps;
  if part is null then
    raise exception using errcode = '22023', message = format('pg_jsonschema: nothing is at %s', reference);
  end if;
  return part;
end
$$;

create function _jsonschema_errors(schema jsonb, instance jsonb, root jsonb, depth int) returns setof text
language plpgsql immutable as $$
declare
  kind text := jsonb_typeof(instance);
  shown text := instance::text;
  number numeric := case when kind = 'number' then (instance #>> '{}')::numeric end;
  length_ int := case kind when 'string' then length(instance #>> '{}') when 'array' then jsonb_array_length(instance)
    when 'object' then (select count(*) from jsonb_object_keys(instance)) end;
  prefix jsonb := coalesce(schema -> 'prefixItems', case when jsonb_typeof(schema -> 'items') = 'array' then schema -> 'items' end, '[]');
  rest jsonb := case when jsonb_typeof(schema -> 'items') = 'array' then schema -> 'additionalItems' else schema -> 'items' end;
  matching int;
  part record;
begin
  if depth > 200 then
    raise exception using errcode = '54001', message = 'pg_jsonschema: the schema refers to itself without end';
  end if;
  if jsonb_typeof(schema) = 'boolean' then
    if schema = 'false' then return next format('False schema does not allow %s', shown); end if;
    return;
  end if;
  if schema ?| array['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'] then
    raise exception using errcode = '0A000',
      message = 'pg_jsonschema: Homebase does not check unevaluatedProperties, unevaluatedItems, $dynamicRef and $recursiveRef';
  end if;

  if schema ? '$ref' then
    return query select @extschema@._jsonschema_errors(@extschema@._jsonschema_part(root, schema ->> '$ref'), instance, root, depth + 1);
  end if;
  if jsonb_typeof(schema -> 'type') = 'string' and not @extschema@._jsonschema_is_type(instance, schema ->> 'type') then
    return next format('%s is not of type "%s"', shown, schema ->> 'type');
  elsif jsonb_typeof(schema -> 'type') = 'array' and not exists (
    select from jsonb_array_elements_text(schema -> 'type') name where @extschema@._jsonschema_is_type(instance, name)
  ) then
    return next format('%s is not of types %s', shown, (
      select string_agg(format('"%s"', name), ', ') from jsonb_array_elements_text(schema -> 'type') name));
  end if;
  if schema ? 'enum' and not exists (select from jsonb_array_elements(schema -> 'enum') allowed where allowed = instance) then
    return next format('%s is not one of %s', shown, schema -> 'enum');
  end if;
  if schema ? 'const' and schema -> 'const' <> instance then
    return next format('%s was expected', schema -> 'const');
  end if;

  if kind = 'number' then
    if number > (schema ->> 'maximum')::numeric then
      return next format('%s is greater than the maximum of %s', shown, schema ->> 'maximum'); end if;
    if number < (schema ->> 'minimum')::numeric then
      return next format('%s is less than the minimum of %s', shown, schema ->> 'minimum'); end if;
    if number >= (schema ->> 'exclusiveMaximum')::numeric then
      return next format('%s is greater than or equal to the maximum of %s', shown, schema ->> 'exclusiveMaximum'); end if;
    if number <= (schema ->> 'exclusiveMinimum')::numeric then
      return next format('%s is less than or equal to the minimum of %s', shown, schema ->> 'exclusiveMinimum'); end if;
    if number % (schema ->> 'multipleOf')::numeric <> 0 then
      return next format('%s is not a multiple of %s', shown, schema ->> 'multipleOf'); end if;
  elsif kind = 'string' then
    if length_ > (schema ->> 'maxLength')::numeric then
      return next format('%s is longer than %s character%s', shown, schema ->> 'maxLength',
        case when schema ->> 'maxLength' = '1' then '' else 's' end); end if;
    if length_ < (schema ->> 'minLength')::numeric then
      return next format('%s is shorter than %s character%s', shown, schema ->> 'minLength',
        case when schema ->> 'minLength' = '1' then '' else 's' end); end if;
    if instance #>> '{}' !~ (schema ->> 'pattern') then
      return next format('%s does not match "%s"', shown, schema ->> 'pattern'); end if;
  elsif kind = 'array' then
    if length_ > (schema ->> 'maxItems')::numeric then
      return next format('%s has more than %s items', shown, schema ->> 'maxItems'); end if;
    if length_ < (schema ->> 'minItems')::numeric then
      return next format('%s has less than %s items', shown, schema ->> 'minItems'); end if;
    if schema -> 'uniqueItems' = 'true' and length_ > (select count(distinct item) from jsonb_array_elements(instance) item) then
      return next format('%s has non-unique elements', shown); end if;
    return query
      select error from jsonb_array_elements(instance) with ordinality as list(item, place),
        @extschema@._jsonschema_errors(
          case when place <= jsonb_array_length(prefix) then prefix -> (place - 1)::int else coalesce(rest, 'true') end,
          item, root, depth + 1) error;
    if schema ? 'contains' then
      matching := (select count(*) from jsonb_array_elements(instance) item
        where not exists (select from @extschema@._jsonschema_errors(schema -> 'contains', item, root, depth + 1)));
      if matching < coalesce((schema ->> 'minContains')::numeric, 1) or matching > (schema ->> 'maxContains')::numeric then
        return next format('%s does not contain as many matching items as the schema asks for', shown);
      end if;
    end if;
  elsif kind = 'object' then
    if length_ > (schema ->> 'maxProperties')::numeric then
      return next format('%s has more than %s properties', shown, schema ->> 'maxProperties'); end if;
    if length_ < (schema ->> 'minProperties')::numeric then
      return next format('%s has less than %s properties', shown, schema ->> 'minProperties'); end if;
    return query
      select format('"%s" is a required property', name)
      from jsonb_array_elements_text(coalesce(schema -> 'required', '[]')) name where not instance ? name;
    return query
      select format('"%s" is a required property', needed)
      from jsonb_each(coalesce(schema -> 'dependentRequired', '{}')) dependent(name, list),
        jsonb_array_elements_text(list) needed
      where instance ? name and not instance ? needed;
    return query
      select error from jsonb_each(coalesce(schema -> 'dependentSchemas', '{}')) dependent(name, sub),
        @extschema@._jsonschema_errors(sub, instance, root, depth + 1) error where instance ? name;
    for part in select key, value from jsonb_each(instance) loop
      if schema ? 'propertyNames' then
        return query select @extschema@._jsonschema_errors(schema -> 'propertyNames', to_jsonb(part.key), root, depth + 1);
      end if;
      return query
        select @extschema@._jsonschema_errors(sub, part.value, root, depth + 1) from (
          select schema -> 'properties' -> part.key as sub where schema -> 'properties' ? part.key
          union all
          select value from jsonb_each(coalesce(schema -> 'patternProperties', '{}')) where part.key ~ key
        ) named;
      if schema ? 'additionalProperties' and not coalesce(schema -> 'properties' ? part.key, false) and not exists (
        select from jsonb_object_keys(coalesce(schema -> 'patternProperties', '{}')) key where part.key ~ key
      ) then
        if schema -> 'additionalProperties' = 'false' then
          return next format('Additional properties are not allowed (''%s'' was unexpected)', part.key);
        else
          return query select @extschema@._jsonschema_errors(schema -> 'additionalProperties', part.value, root, depth + 1);
        end if;
      end if;
    end loop;
  end if;

  return query
    select error from jsonb_array_elements(coalesce(schema -> 'allOf', '[]')) sub,
      @extschema@._jsonschema_errors(sub, instance, root, depth + 1) error;
  if schema ? 'anyOf' and not exists (
    select from jsonb_array_elements(schema -> 'anyOf') sub
    where not exists (select from @extschema@._jsonschema_errors(sub, instance, root, depth + 1))
  ) then
    return next format('%s is not valid under any of the schemas listed in the ''anyOf'' keyword', shown);
  end if;
  if schema ? 'oneOf' then
    matching := (select count(*) from jsonb_array_elements(schema -> 'oneOf') sub
      where not exists (select from @extschema@._jsonschema_errors(sub, instance, root, depth + 1)));
    if matching = 0 then
      return next format('%s is not valid under any of the schemas listed in the ''oneOf'' keyword', shown);
    elsif matching > 1 then
      return next format('%s is valid under more than one of the schemas listed in the ''oneOf'' keyword', shown);
    end if;
  end if;
  if schema ? 'not' and not exists (select from @extschema@._jsonschema_errors(schema -> 'not', instance, root, depth + 1)) then
    return next format('%s is not allowed for %s', schema -> 'not', shown);
  end if;
  if schema ? 'if' then
    if exists (select from @extschema@._jsonschema_errors(schema -> 'if', instance, root, depth + 1)) then
      return query select @extschema@._jsonschema_errors(coalesce(schema -> 'else', 'true'), instance, root, depth + 1);
    else
      return query select @extschema@._jsonschema_errors(coalesce(schema -> 'then', 'true'), instance, root, depth + 1);
    end if;
  end if;
end
$$;

create function jsonschema_validation_errors(schema json, instance json) returns text[] language sql immutable strict as $$
  select array(select @extschema@._jsonschema_errors(schema::jsonb, instance::jsonb, schema::jsonb, 0))
$$;
create function json_matches_schema(schema json, instance json) returns bool language sql immutable strict as $$
  select not exists (select from @extschema@._jsonschema_errors(schema::jsonb, instance::jsonb, schema::jsonb, 0))
$$;
create function jsonb_matches_schema(schema json, instance jsonb) returns bool language sql immutable strict as $$
  select not exists (select from @extschema@._jsonschema_errors(schema::jsonb, instance, schema::jsonb, 0))
$$;

-- The shape of the keywords that are checked, as the meta-schema has it.
create function jsonschema_is_valid(schema json) returns bool language sql immutable strict as $$
  select @extschema@.json_matches_schema($meta${
    "$defs": {
      "types": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]},
      "count": {"type": "integer", "minimum": 0},
      "schemas": {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
      "map": {"type": "object", "additionalProperties": {"$ref": "#"}},
      "names": {"type": "array", "items": {"type": "string"}}
    },
    "type": ["object", "boolean"],
    "properties": {
      "type": {"anyOf": [{"$ref": "#/$defs/types"}, {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"$ref": "#/$defs/types"}}]},
      "enum": {"type": "array"}, "pattern": {"type": "string"}, "$ref": {"type": "string"}, "uniqueItems": {"type": "boolean"},
      "multipleOf": {"type": "number", "exclusiveMinimum": 0}, "maximum": {"type": "number"}, "minimum": {"type": "number"},
      "exclusiveMaximum": {"type": "number"}, "exclusiveMinimum": {"type": "number"},
      "maxLength": {"$ref": "#/$defs/count"}, "minLength": {"$ref": "#/$defs/count"}, "maxItems": {"$ref": "#/$defs/count"},
      "minItems": {"$ref": "#/$defs/count"}, "maxProperties": {"$ref": "#/$defs/count"}, "minProperties": {"$ref": "#/$defs/count"},
      "required": {"$ref": "#/$defs/names"}, "properties": {"$ref": "#/$defs/map"}, "patternProperties": {"$ref": "#/$defs/map"},
      "$defs": {"$ref": "#/$defs/map"}, "definitions": {"$ref": "#/$defs/map"}, "dependentSchemas": {"$ref": "#/$defs/map"},
      "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/schemas"}]}, "prefixItems": {"$ref": "#/$defs/schemas"},
      "additionalProperties": {"$ref": "#"}, "propertyNames": {"$ref": "#"}, "contains": {"$ref": "#"}, "not": {"$ref": "#"},
      "if": {"$ref": "#"}, "then": {"$ref": "#"}, "else": {"$ref": "#"},
      "allOf": {"$ref": "#/$defs/schemas"}, "anyOf": {"$ref": "#/$defs/schemas"}, "oneOf": {"$ref": "#/$defs/schemas"}
    }
  }$meta$::json, schema)
$$;
