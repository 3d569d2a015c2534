// The worker pressed Submit already: send the form on. Without this script its button does.
document.getElementById("submit-there").requestSubmit();
