"""The bindings look for the resource of the interface `adapter` in a module of that name."""

from jackfield.driver import Session as Session
