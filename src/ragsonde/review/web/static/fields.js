// The form's fields by name.

// Puts a review's fields into the form; a field that it does not name is empty.
export function fill(form, review) {
  for (const field of form.elements) {
    if (!field.name || ["token", "action"].includes(field.name)) continue;
    const value = review[field.name] ?? "";
    if (field.type === "radio") field.checked = field.value === value;
    else if (field.type === "checkbox") field.checked = value === true;
    else field.value = value;
  }
}

// What stands in the form, in the shape that the server gives a review in.
export function fieldsOf(form) {
  const values = Object.fromEntries(new FormData(form));
  for (const name of ["answer_is_right", "unanswerable"]) values[name] = values[name] === "1";
  for (const name of ["version", "token", "action"]) delete values[name];
  return values;
}
