global using Company.Shared;
